/** Counts of one type: what is labelled and found, missed, and found without being labelled. */
export class Tally {
  found = 0
  missed = 0
  /** Found where nothing of the type is labelled. */
  wrong = 0
  /** Texts without anything of the type, and how many of them had a finding. */
  clean = 0
  alarms = 0

  get precision(): number | undefined {
    return ratio(this.found, this.found + this.wrong)
  }

  get recall(): number | undefined {
    return ratio(this.found, this.found + this.missed)
  }

  get f1(): number | undefined {
    return ratio(2 * this.found, 2 * this.found + this.wrong + this.missed)
  }

  get falseAlarms(): number | undefined {
    return ratio(this.alarms, this.clean)
  }

  /** Adds another's counts to these. */
  add(other: Tally): void {
    this.found += other.found
    this.missed += other.missed
    this.wrong += other.wrong
    this.clean += other.clean
    this.alarms += other.alarms
  }
}

/** Tallies by type, made as they are needed, and their sum. */
export class Tallies extends Map<string, Tally> {
  of(type: string): Tally {
    const tally = this.get(type) ?? new Tally()
    this.set(type, tally)
    return tally
  }

  sum(types: Iterable<string> = this.keys()): Tally {
    const total = new Tally()
    for (const type of types) total.add(this.of(type))
    return total
  }
}

function ratio(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole
}
