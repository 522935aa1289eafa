import { growthOf, QUADRATIC, repeated } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { loadEncoding } from '../../src/encoding.ts'
import { tokensOf } from '../../src/text-tokens.ts'

const prose = 'The miller opens the gate, and the water (cold) turns the wheel 1234 times; it doesn’t stop. '

test.each(['a', '1', '-', ' ', '中', prose])('takes linear time for a text of %j', async (unit) => {
  const encoding = await loadEncoding('o200k_base')
  const run = (length: number) => tokensOf(repeated(unit, length), encoding)
  expect(growthOf(run)).toBeLessThan(QUADRATIC)
})
