const isThorough = process.env.MILLRACE_THOROUGH === '1'

/** Lengths of text whose times are compared, the second 16 times the first. */
const [SHORT, LONG] = isThorough ? [65_536, 1_048_576] : [4_096, 65_536]

/** Between the 16 of a time in proportion to the length and the 256 of a quadratic one. */
export const QUADRATIC = 64

/** How long a test of growth may take on a machine that has other things to do. */
export const PATIENCE: number = isThorough ? 900_000 : 120_000

/**
 * How many times longer `run` takes for 16 times the text. Other work on the machine only ever adds time: the shorter is
 * the best of three, and what looks bad is measured again, since what is really not linear stays so.
 */
export function growthOf(run: (length: number) => unknown): number {
  run(SHORT)
  let growth = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 8 && growth >= QUADRATIC; attempt++) {
    const often = cost(() => run(LONG))
    // A fifth of a millisecond is what the clock and the collector may add.
    growth = Math.min(growth, often / (Math.min(...[1, 2, 3].map(() => cost(() => run(SHORT)))) + 0.2))
  }
  return growth
}

/** Milliseconds of CPU: what else the machine does takes none of it. */
function cost(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}
