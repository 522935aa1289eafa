/** Code whose cost is measured. The first contestant is the baseline: the same work without Millrace. */
interface Contestant {
  name: string
  /** Does the work once. The result is discarded. */
  run: () => unknown
}

export interface Contest {
  name: string
  contestants: readonly [floor: Contestant, ...others: Contestant[]]
  /** The maximum ratio to the baseline, by name. */
  budgets?: Readonly<Record<string, number>>
  /** Measured rounds. Default: 31. */
  rounds?: number
  /** Rounds before the measured ones. Default: 6. */
  warmups?: number
}

export interface Measurement {
  contest: string
  name: string
  /** Milliseconds: the median, and the first and third quartiles. */
  median: number
  quartiles: [number, number]
  /** The minimum in milliseconds, which depends least on other processes. */
  fastest: number
  /** The median of the ratios to the baseline; 1 for the baseline. */
  ratio: number
  budget?: number
}

/**
 * Runs all contestants once per round, in a different order each round, so that noise affects all of them. Ratios are
 * computed per round; their median is reported.
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
