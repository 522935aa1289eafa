import { requireOptions } from '@millrace/core'
import { testRunner } from '../test-runner.ts'
import { PROCESSOR_RULES, PROCESSOR_TEST_OPTIONS, type ProcessorTestOptions } from './processor-rules.ts'

/** Timeout of a test, in milliseconds. */
const TIMEOUT = 120_000

const PLAIN_TEXTS: readonly string[] = [
  'The mill turns by the river.',
  'Bring the red umbrella, it is 7 degrees 🌧️ and raining.',
  '{"list": [1, 2, 3]}',
  '',
]

/**
 * The conformance test of a processor: one instance serves concurrent runs, text may be split anywhere, `generate` and
 * `stream` give the same result, signals are not caught. It registers tests with the test runner of the file: vitest, or
 * `node:test`.
 *
 * @example testProcessor('max-length', { create: () => new MaxLength({ limit: 20 }), texts: ['short', 'far too long …'] })
 */
export function testProcessor(name: string, options: ProcessorTestOptions): void {
  const {
    create,
    texts = PLAIN_TEXTS,
    ignore,
  } = requireOptions('testProcessor()', options, PROCESSOR_TEST_OPTIONS)
  const { describe, test } = testRunner()
  describe(`${name}: conformance of a processor`, () => {
    for (const [rule, check] of Object.entries(PROCESSOR_RULES)) {
      test(rule, { timeout: TIMEOUT }, () => check({ create: async () => create(), texts, ignore }))
    }
  })
}
