import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forEachSlice, SLICE, slicesOf, yieldBetween } from './slices.ts'

test('cuts a text into slices that are the text, and no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 9 }), (text, length) => {
      const slices = [...slicesOf(text, length)]
      expect(slices.join('')).toBe(text)
      expect(slices.flatMap((slice) => [...slice])).toEqual([...text])
      for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(length)
    }),
  )
})

test('works on a short text at once', () => {
  const seen: string[] = []
  expect(forEachSlice('short', (slice) => seen.push(slice))).toBeUndefined()
  expect(seen).toEqual(['short'])
})

test('lets the event loop do other work between two slices of a long one', async () => {
  const order: string[] = []
  await forEachSlice('x'.repeat(3 * SLICE), () => {
    order.push('slice')
    setImmediate(() => order.push('other'))
  })
  expect(order.slice(0, 5)).toEqual(['slice', 'other', 'slice', 'other', 'slice'])
})

test('ends with the error of the first slice that fails', async () => {
  const seen: number[] = []
  const work = (item: number): void => {
    seen.push(item)
    if (item === 2) throw new Error('2 is wrong.')
  }
  await expect(yieldBetween([1, 2, 3], work)).rejects.toThrow('2 is wrong.')
  expect(seen).toEqual([1, 2])
})
