export interface QuantiseOptions {
  /** How often each weight was used in training. Errors of weights that are used often count more. */
  readonly uses: Float32Array
  /** The number of positive levels. */
  readonly levels: number
}

export interface Quantised {
  readonly buckets: Int8Array
  readonly levels: readonly number[]
  readonly scale: number
}

/** The share of the weights that is not clipped. */
const UNCLIPPED = 0.9998

const ROUNDS = 60

/** Added to the number of uses, so that an unused weight counts too. */
const LEAST_USE = 1e-3

/** Quantizes weights to zero and levels of each sign, those with the least squared error (Lloyd 1982). */
export function quantise(weights: Float32Array, { uses, levels: positive }: QuantiseOptions): Quantised {
  const count = weights.length
  const sizes = weights.map(Math.abs)
  const order = Uint32Array.from(weights.keys()).sort((a, b) => (sizes[a] as number) - (sizes[b] as number))
  const sorted = Float64Array.from(order, (place) => sizes[place] as number)
  const counts = Float64Array.from(order, (place) => Math.sqrt((uses[place] as number) + LEAST_USE))
  const most = sorted[Math.floor(count * UNCLIPPED)] as number
  let centers = Array.from({ length: positive + 1 }, (_, level) => most * (level / positive) ** 1.5)
  for (let round = 0; round < ROUNDS; round++) {
    const sums = new Float64Array(positive + 1)
    const totals = new Float64Array(positive + 1)
    let level = 0
    for (let index = 0; index < count; index++) {
      const size = sorted[index] as number
      while (level < positive && size > between(centers, level)) level++
      sums[level] = (sums[level] as number) + size * (counts[index] as number)
      totals[level] = (totals[level] as number) + (counts[index] as number)
    }
    centers = centers.map((center, level) =>
      level === 0 || totals[level] === 0 ? center : (sums[level] as number) / (totals[level] as number),
    )
  }
  const scale = (centers[positive] as number) / 127
  const levels = centers.slice(1).map((center) => Math.round(center / scale))
  const buckets = Int8Array.from(weights, (weight, place) => {
    let level = 0
    while (level < positive && (sizes[place] as number) > between(centers, level)) level++
    return Math.sign(weight) * (levels[level - 1] ?? 0)
  })
  return { buckets, levels, scale }
}

/** The border between a level and the next one. */
function between(centers: readonly number[], level: number): number {
  return ((centers[level] as number) + (centers[level + 1] as number)) / 2
}
