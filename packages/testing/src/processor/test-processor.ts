import { testRunner } from '../test-runner.ts'
import { PROCESSOR_RULES, type ProcessorTestOptions } from './processor-rules.ts'

/** A test that takes longer, in milliseconds, hangs. */
const TIMEOUT = 120_000

const PLAIN_TEXTS: readonly string[] = [
  'The mill turns by the river.',
  'Bring the red umbrella, it is 7 degrees 🌧️ and raining.',
  '{"list": [1, 2, 3]}',
  '',
]

/**
 * What every processor must do, whatever it is for: one instance serves many runs, text may be split anywhere, generate
 * and stream are alike, signals are not caught. With the test runner that runs the file: vitest, or `node:test`.
 *
 * @example testProcessor('max-length', { create: () => new MaxLength({ limit: 20 }), texts: ['short', 'far too long …'] })
 */
export function testProcessor(
  name: string,
  { create, texts = PLAIN_TEXTS, ignore }: ProcessorTestOptions,
): void {
  const { describe, test } = testRunner()
  describe(`${name}: what every processor must do`, () => {
    for (const [rule, check] of Object.entries(PROCESSOR_RULES)) {
      test(rule, { timeout: TIMEOUT }, () => check({ create: async () => create(), texts, ignore }))
    }
  })
}
