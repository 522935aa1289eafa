/** A text that a model has not seen, and its value there. */
export interface Point {
  readonly value: number
  readonly label: 0 | 1
  readonly weight: number
}

/** The slope and offset that turn a model's values into probabilities (Platt 1999), by gradient descent. */
export function plattScale(points: readonly Point[]): { slope: number; offset: number } {
  let slope = 1
  let offset = 0
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  for (let round = 0; round < 4_000; round++) {
    let slopeGradient = 0
    let offsetGradient = 0
    for (const { value, label, weight } of points) {
      const error = (1 / (1 + Math.exp(-(slope * value + offset))) - label) * weight
      slopeGradient += error * value
      offsetGradient += error
    }
    slope -= (0.1 * slopeGradient) / total
    offset -= (0.1 * offsetGradient) / total
  }
  return { slope: Number(slope.toFixed(4)), offset: Number(offset.toFixed(4)) }
}
