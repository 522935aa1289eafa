/** Counts for one type: true positives, false negatives and false positives. */
export class Tally {
  found = 0
  missed = 0
  /** Found where nothing of the type is labeled. */
  wrong = 0
  /** Texts without the type, and how many of them have a finding. */
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

  /** Adds the counts of another tally. */
  add(other: Tally): void {
    this.found += other.found
    this.missed += other.missed
    this.wrong += other.wrong
    this.clean += other.clean
    this.alarms += other.alarms
  }
}

/** Tallies by type, created on demand, and their sum. */
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
