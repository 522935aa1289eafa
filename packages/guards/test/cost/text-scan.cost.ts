import { growthOf, QUADRATIC, repeated } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import type { Recognizer } from '../../src/scanner/recognizer.ts'
import { Scanner } from '../../src/scanner/scanner.ts'

const usual: Recognizer[] = [
  {
    type: 'email',
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,6}[a-z]{2,24}(?![\w-])/i,
  },
  {
    type: 'card',
    pattern: /(?<![\d.-])\d(?:[ -]?\d){11,18}(?![\d-])/,
    score: (value) => (value.endsWith('7') ? 1 : 0),
  },
  { type: 'ip', pattern: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/ },
  { type: 'pem', pattern: /-----BEGIN [A-Z ]{1,30}-----/, rest: { until: /-----END [A-Z ]{1,30}-----/ } },
  { type: 'jwt', pattern: /(?<!\w)eyJ[\w-]{10}/, rest: { while: /[\w.-]/ } },
]

test.each(['a', '1', '.', 'a@', 'a@a.', '1 a ', '1-', '1.', '(', '-----BEGIN ', 'eyJ', '-----BEGIN A-----'])(
  'takes time in proportion to the length of a text of %j',
  (unit) => {
    const scanner = new Scanner(usual)
    const run = (length: number) => scanner.detect(repeated(unit, length))
    expect(growthOf(run)).toBeLessThan(QUADRATIC)
  },
)
