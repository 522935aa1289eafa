import { expect, test } from 'vitest'
import { quantise } from './quantise.ts'
import { random } from './spin.ts'

const next = random(5)
const weights = Float32Array.from({ length: 5_000 }, () => (next() + next() + next() - 1.5) ** 3)
const same = new Float32Array(weights.length).fill(1)

test('quantizes to zero and four levels of each sign', () => {
  const { buckets, levels, scale } = quantise(weights, { uses: same, levels: 4 })
  expect(levels).toEqual(levels.toSorted((a, b) => a - b))
  expect(levels.at(-1)).toBe(127)
  expect(new Set(buckets)).toEqual(new Set([0, ...levels, ...levels.map((level) => -level)]))
  for (const [place, bucket] of buckets.entries()) {
    expect(bucket * (weights[place] as number)).toBeGreaterThanOrEqual(0)
    expect(Math.abs(bucket)).toBeLessThanOrEqual(127)
  }
  expect(scale).toBeGreaterThan(0)
})

test('weights that are used often have smaller errors', () => {
  const uses = weights.map((weight) => (Math.abs(weight) > 0.3 ? 100 : 0))
  const errorOf = (counted: Float32Array): number => {
    const { buckets, scale } = quantise(weights, { uses: counted, levels: 4 })
    return weights.reduce((sum, weight, place) => {
      const error = weight - scale * (buckets[place] as number)
      return sum + (uses[place] as number) * error * error
    }, 0)
  }
  expect(errorOf(uses)).toBeLessThan(errorOf(same))
})
