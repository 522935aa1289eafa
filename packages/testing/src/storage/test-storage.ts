import { requireOptions } from '@millrace/core'
import { testRunner } from '../test-runner.ts'
import { STORAGE_TEST_OPTIONS, type StorageTestOptions, withStorage } from './storage-context.ts'
import { STORAGE_RULES } from './storage-rules.ts'

/** Timeout of a test, in milliseconds. */
const TIMEOUT = 300_000

/**
 * The conformance test of a store: registers a test for every requirement of the contract `Store`, with the test runner of
 * the file: vitest, or `node:test`. Declared `capabilities` are tested; for the others, that the store refuses them.
 * Nothing is skipped.
 *
 * @example testStorage('memory', { create: () => new InMemoryStore() })
 */
export function testStorage(name: string, given: StorageTestOptions): void {
  const options = requireOptions('testStorage()', given, STORAGE_TEST_OPTIONS)
  const { describe, test } = testRunner()
  for (const [behaviour, rules] of Object.entries(STORAGE_RULES)) {
    describe(`${name}: ${behaviour}`, () => {
      for (const [rule, check] of Object.entries(rules)) {
        test(rule, { timeout: TIMEOUT }, () => withStorage(options, check))
      }
    })
  }
}
