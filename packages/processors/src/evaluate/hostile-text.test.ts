import { describe, expect, test } from 'vitest'
import { piiRecognizers } from '../pii/recognizers.ts'
import { PII_TYPES } from '../pii/types.ts'
import { Scanner } from '../scanner/scanner.ts'
import { secretRecognizers } from '../secrets/recognizers.ts'
import { HOSTILE_PIECES, repeated } from './hostile-text.ts'

const thorough = process.env.MILLRACE_THOROUGH === '1'
const [short, long] = thorough ? [65_536, 1_048_576] : [4_096, 65_536]

describe.each([
  ['personal data', async () => await piiRecognizers({ types: PII_TYPES })],
  ['secrets', secretRecognizers],
])('every recogniser of %s', (_, load) => {
  test('takes time in proportion to hostile text', { timeout: thorough ? 600_000 : 60_000 }, async () => {
    const scanner = new Scanner(await load())
    for (const piece of HOSTILE_PIECES) {
      const [text, longText] = [repeated(piece, short), repeated(piece, long)]
      scanner.detect(text)
      const once = Math.min(...[1, 2, 3].map(() => millisecondsOf(() => scanner.detect(text))))
      const often = millisecondsOf(() => scanner.detect(longText))
      // Sixteen times the text. Half a millisecond is what the clock and the collector may add.
      expect({ piece, times: often / (once + 0.5) }).toEqual({
        piece,
        times: expect.toSatisfy((times) => times < 32),
      })
    }
  })
})

function millisecondsOf(run: () => unknown): number {
  const start = performance.now()
  run()
  return performance.now() - start
}
