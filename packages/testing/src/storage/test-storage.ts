import { testRunner } from '../test-runner.ts'
import { type StorageTestOptions, withStorage } from './storage-context.ts'
import { STORAGE_RULES } from './storage-rules.ts'

/** No test of a store takes this long, in milliseconds: it hangs. */
const TIMEOUT = 300_000

/**
 * The conformance test of a store: registers a test for everything the contract `Store` asks for, with the test runner
 * that runs the file: vitest, or `node:test`. What a store declares in `capabilities` is tested, and of the others, that
 * it refuses them: nothing is skipped.
 *
 * @example testStorage('memory', { create: () => new InMemoryStore() })
 */
export function testStorage(name: string, options: StorageTestOptions): void {
  const { describe, test } = testRunner()
  for (const [behaviour, rules] of Object.entries(STORAGE_RULES)) {
    describe(`${name}: ${behaviour}`, () => {
      for (const [rule, check] of Object.entries(rules)) {
        test(rule, { timeout: TIMEOUT }, () => withStorage(options, check))
      }
    })
  }
}
