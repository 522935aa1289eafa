import { Scanner } from '@millrace/guards/scanner'
import { secretRecognizers } from '@millrace/guards/secrets'
import { PII_TYPES, piiRecognizers } from '@millrace/pii'
import { growthOf, HOSTILE_PIECES, QUADRATIC, repeated } from '@millrace/testing/growth'
import { describe, expect, test } from 'vitest'

describe.each([
  ['personal data', async () => await piiRecognizers()],
  ['personal data, each type by name', async () => await piiRecognizers({ types: PII_TYPES })],
  ['secrets', secretRecognizers],
])('every recognizer of %s', (_, load) => {
  test('takes linear time for hostile text', async () => {
    const scanner = new Scanner(await load())
    for (const piece of HOSTILE_PIECES) {
      const times = growthOf((length) => scanner.detect(repeated(piece, length)))
      expect({ piece, times }).toEqual({ piece, times: expect.toSatisfy((times) => times < QUADRATIC) })
    }
  })
})
