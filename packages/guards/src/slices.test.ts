import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pushInSlices, SLICE, slicesOf } from './slices.ts'

test('cuts a text into slices without cutting a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 9 }), (text, length) => {
      const slices = [...slicesOf(text, length)]
      expect(slices.join('')).toBe(text)
      expect(slices.flatMap((slice) => [...slice])).toEqual([...text])
      for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(length)
    }),
  )
})

test('processes a short text synchronously', () => {
  expect(pushInSlices('short', (slice) => slice.toUpperCase())).toBe('SHORT')
})

test('yields to the event loop between two slices of a long text', async () => {
  const order: string[] = []
  const text = 'x'.repeat(3 * SLICE)
  const left = await pushInSlices(text, (slice) => {
    order.push('slice')
    setImmediate(() => order.push('other'))
    return slice
  })
  expect(left).toBe(text)
  expect(order).toEqual(['slice', 'other', 'slice', 'other', 'slice', 'other'])
})

test('rejects with the error of the first slice that fails', async () => {
  let count = 0
  const push = (slice: string): string => {
    if (++count === 2) throw new Error('The second is wrong.')
    return slice
  }
  await expect(pushInSlices('x'.repeat(4 * SLICE), push)).rejects.toThrow('The second is wrong.')
  expect(count).toBe(2)
})
