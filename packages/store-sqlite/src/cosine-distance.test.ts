import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { addCosineDistance, addOwnCosineDistance } from './cosine-distance.ts'

test('the distance is the same with and without sqlite-vec', () => {
  const database = new Database(':memory:')
  const names = [addCosineDistance(database), addOwnCosineDistance(database)]
  expect(names).toEqual(['vec_distance_cosine', 'millrace_cosine_distance'])
  for (let sample = 1; sample < 50; sample++) {
    const [left, right] = [sample, sample * 7].map((seed) => unitVector(seed, sample))
    const distances = names.map((name) => database.prepare(`SELECT ${name}(?, ?)`).pluck().get(left, right))
    expect(distances[1]).toBeCloseTo(Number(distances[0]), 5)
    const itself = database.prepare(`SELECT ${names[1]}(?, ?)`).pluck().get(left, left)
    expect(itself).toBeCloseTo(0, 5)
  }
})

function unitVector(seed: number, dimensions: number): Uint8Array {
  const numbers = Array.from({ length: dimensions }, (_, index) => Math.sin(seed * (index + 1)))
  const length = Math.hypot(...numbers)
  return new Uint8Array(Float32Array.from(numbers, (value) => value / length).buffer)
}
