import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseJson } from '../../src/loop/output/parse-json.ts'

const schema = z.strictObject({ a: z.number() })

test('reads JSON in hostile text in linear time', () => {
  for (const unit of [
    '{"a":',
    '[',
    '{',
    '{"',
    '"',
    '```',
    '```\n',
    '{"a":1',
    '{}',
    '[1',
    '] [',
    '\\',
    '{"a":1}{',
    ', ',
  ]) {
    const growth = growthOf((length) => {
      for (let times = 0; times < 4; times++) void parseJson(`x ${unit.repeat(length / unit.length)}`, schema)
    })
    expect(growth, unit).toBeLessThan(QUADRATIC)
  }
})
