import { type OptionNames, requireOptions, type VectorStore } from '@millrace/core'
import { testRunner } from '../test-runner.ts'
import { VECTOR_STORE_RULES } from './vector-store-rules.ts'

export interface VectorStoreTestOptions {
  /** Returns an empty store. Called for each test. */
  create: () => VectorStore | Promise<VectorStore>
  /** Closes and removes a store that `create` has returned. */
  remove?: (store: VectorStore) => unknown
}

const VECTOR_STORE_TEST_OPTIONS: OptionNames<VectorStoreTestOptions> = {
  create: 'required',
  remove: 'optional',
}

/**
 * The conformance test of a vector store: registers a test for every requirement of the contract `VectorStore`, with the
 * test runner of the file: vitest, or `node:test`.
 *
 * @example testVectorStore('memory', { create: () => new InMemoryVectorStore() })
 */
export function testVectorStore(name: string, options: VectorStoreTestOptions): void {
  const { create, remove } = requireOptions('testVectorStore()', options, VECTOR_STORE_TEST_OPTIONS)
  const { describe, test } = testRunner()
  describe(`${name}: vectors`, () => {
    for (const [rule, check] of Object.entries(VECTOR_STORE_RULES)) {
      test(rule, { timeout: 60_000 }, async () => {
        const store = await create()
        try {
          await check(store)
        } finally {
          await remove?.(store)
        }
      })
    }
  })
}
