import type { VectorStore } from '@millrace/core'
import { testRunner } from '../test-runner.ts'
import { VECTOR_STORE_RULES } from './vector-store-rules.ts'

export interface VectorStoreTestOptions {
  /** A store that holds nothing: called for each test. */
  create: () => VectorStore | Promise<VectorStore>
  /** Gives up a store that `create` has made. */
  remove?: (store: VectorStore) => unknown
}

/**
 * The conformance test of a vector store: registers a test for everything the contract `VectorStore` asks for, with the test
 * runner that runs the file: vitest, or `node:test`.
 *
 * @example testVectorStore('memory', { create: () => new InMemoryVectorStore() })
 */
export function testVectorStore(name: string, { create, remove }: VectorStoreTestOptions): void {
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
