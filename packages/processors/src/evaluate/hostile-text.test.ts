import { describe, expect, test } from 'vitest'
import { piiRecognizers } from '../pii/recognizers.ts'
import { PII_TYPES } from '../pii/types.ts'
import { Scanner } from '../scanner/scanner.ts'
import { secretRecognizers } from '../secrets/recognizers.ts'
import { growthOf, PATIENCE, QUADRATIC } from './growth.ts'
import { HOSTILE_PIECES, repeated } from './hostile-text.ts'

describe.each([
  ['personal data', async () => await piiRecognizers()],
  ['personal data, each type by name', async () => await piiRecognizers({ types: PII_TYPES })],
  ['secrets', secretRecognizers],
])('every recogniser of %s', (_, load) => {
  test('takes time in proportion to hostile text', { timeout: PATIENCE }, async () => {
    const scanner = new Scanner(await load())
    for (const piece of HOSTILE_PIECES) {
      const times = growthOf((length) => scanner.detect(repeated(piece, length)))
      expect({ piece, times }).toEqual({ piece, times: expect.toSatisfy((times) => times < QUADRATIC) })
    }
  })
})
