import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { completeJson } from '../../src/structured-output/complete-json.ts'
import { JsonExtractor } from '../../src/structured-output/json-extractor.ts'
import { jsonReadings } from '../../src/structured-output/json-readings.ts'

test('reads hostile truncated JSON in linear time', () => {
  for (const unit of ['{"a":', '[', '"', '\n', '```', '{"a":1,', '\\', '{"', ' ', ', ']) {
    // Everything except the repair, which is only for texts of a limited length.
    const growth = growthOf((length) => {
      const text = `{"a${unit.repeat(length / unit.length)}x`
      for (let times = 0; times < 4; times++) {
        jsonReadings(text).next()
        completeJson(text)
        new JsonExtractor().push(text)
      }
    })
    expect(growth, unit).toBeLessThan(QUADRATIC)
  }
})
