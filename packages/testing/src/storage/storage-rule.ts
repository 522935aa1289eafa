import type { Store } from '@millrace/core'
import { assertRefused } from './assert.ts'
import type { StorageContext } from './storage-context.ts'

/** A required behavior of every store. Rejects if the store violates it. */
export type StorageRule = (context: StorageContext) => Promise<void>

/** Rules by their name, which completes "a store …". */
export type StorageRules = Readonly<Record<string, StorageRule>>

/** A rule for stores with word search; other stores must declare that they have none. */
export function whereSearched(rule: StorageRule): StorageRule {
  return async (context) => {
    if (context.store.capabilities.search) return rule(context)
    await assertRefused('STORAGE_UNSUPPORTED', () => context.store.searchMessages({ query: 'word' }))
  }
}

/** A rule for stores with vector search; other stores must declare that they have none. */
export function whereVectors(rule: StorageRule): StorageRule {
  return async (context) => {
    if (context.store.capabilities.vectors) return rule(context)
    for (const call of vectorCalls(context.store)) await assertRefused('STORAGE_UNSUPPORTED', call)
  }
}

/** A rule for stores with blobs. */
export function whereBlobs(rule: StorageRule): StorageRule {
  return async (context) => {
    if (context.store.capabilities.blobs) return rule(context)
    await assertRefused('STORAGE_UNSUPPORTED', () => context.store.getBlobs({ threadId: 't', blobs: [] }))
  }
}

function vectorCalls(store: Store): (() => Promise<unknown>)[] {
  const vector = [1, 0]
  return [
    () => store.saveVectors({ threadId: 't', model: 'm', vectors: [{ messageId: 'a', vector }] }),
    () => store.searchVectors({ model: 'm', vector }),
    () => store.listMessagesWithoutVector({ model: 'm' }),
  ]
}
