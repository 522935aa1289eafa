/** Something whose cost is measured. The first of a contest is the floor: what the work costs without us. */
interface Contestant {
  name: string
  /** Does the work once. What it makes is thrown away. */
  run: () => unknown
}

export interface Contest {
  name: string
  contestants: readonly [floor: Contestant, ...others: Contestant[]]
  /** How many times the floor each of the others may cost, by name. */
  budgets?: Readonly<Record<string, number>>
  /** Measured rounds. Default: 31. */
  rounds?: number
  /** Rounds before them, which are not counted. Default: 6. */
  warmups?: number
}

export interface Measurement {
  contest: string
  name: string
  /** Milliseconds: the median, and the first and third quartile. */
  median: number
  quartiles: [number, number]
  /** Milliseconds of the fastest round: what least of all depends on what else the machine does. */
  fastest: number
  /** How many times the floor, in the median of the rounds; 1 for the floor. */
  ratio: number
  budget?: number
}

/**
 * Runs the contestants of a contest in turn, each once a round and in another order each round, so that what else the
 * machine does weighs on all of them. A ratio is that of one round: the median of these is what is reported.
 */
export async function measure(contest: Contest): Promise<Measurement[]> {
  const { contestants, rounds = 31, warmups = 6, budgets = {} } = contest
  const times = contestants.map((): number[] => [])
  for (let round = -warmups; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const index = (turn + round + warmups) % contestants.length
      const started = performance.now()
      await contestants[index]?.run()
      if (round >= 0) times[index]?.push(performance.now() - started)
    }
  }
  const floor = times[0] ?? []
  return contestants.map(({ name }, index) => {
    const own = times[index] ?? []
    const budget = budgets[name]
    return {
      contest: contest.name,
      name,
      median: quantile(own, 0.5),
      quartiles: [quantile(own, 0.25), quantile(own, 0.75)],
      fastest: Math.min(...own),
      ratio: quantile(
        own.map((time, round) => time / (floor[round] ?? Number.NaN)),
        0.5,
      ),
      ...(budget !== undefined && { budget }),
    }
  })
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
