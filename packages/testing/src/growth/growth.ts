const isThorough = process.env.MILLRACE_THOROUGH === '1'

/** The two compared text lengths; the second is 16 times the first. */
const [SHORT, LONG] = isThorough ? [65_536, 1_048_576] : [4_096, 65_536]

/** The limit of the ratio: linear time gives 16, quadratic time 256. */
export const QUADRATIC = 64

/**
 * The ratio of the time of `run` for 16 times the text. Noise only adds time, so the shorter time is the minimum of three,
 * and a high ratio is measured again: only superlinear growth persists.
 */
export function growthOf(run: (length: number) => unknown): number {
  run(SHORT)
  let growth = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 8 && growth >= QUADRATIC; attempt++) {
    const often = cost(() => run(LONG))
    // 0.2 ms for the resolution of the clock and the garbage collector.
    growth = Math.min(growth, often / (Math.min(...[1, 2, 3].map(() => cost(() => run(SHORT)))) + 0.2))
  }
  return growth
}

/** CPU milliseconds, which other processes do not add to. */
function cost(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}
