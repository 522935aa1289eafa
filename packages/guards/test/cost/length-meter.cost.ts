import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { LengthMeter } from '../../src/content-guard/length-meter.ts'

test('measures one long grapheme in linear time', () => {
  const run = (length: number): void => {
    const meter = new LengthMeter({
      unit: 'grapheme',
      length: Number.POSITIVE_INFINITY,
      bytes: Number.POSITIVE_INFINITY,
    })
    for (let index = 0; index < length; index += 64) meter.push('\u0301'.repeat(64))
  }
  expect(growthOf(run)).toBeLessThan(QUADRATIC)
})
