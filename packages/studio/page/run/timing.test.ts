import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spanOf } from './timing.ts'

test('a bar starts and ends at its times', () => {
  expect(spanOf(150, 50, { fromMs: 100, toMs: 300 })).toEqual({ start: 0.25, width: 0.25 })
})

test('a bar stays within its frame if clocks differ', () => {
  const time = fc.double({ min: -1e6, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(time, time, time, time, (atMs, durationMs, fromMs, toMs) => {
      const { start, width } = spanOf(atMs, durationMs, { fromMs, toMs })
      expect(start).toBeGreaterThanOrEqual(0)
      expect(width).toBeGreaterThanOrEqual(0)
      expect(start + width).toBeLessThanOrEqual(1 + 1e-9)
    }),
  )
})
