import type { Store } from '@millrace/core'
import { assertRefused } from './assert.ts'
import type { StorageContext } from './storage-context.ts'

/** One behaviour every store must show. Rejects if the store does not. */
export type StorageRule = (context: StorageContext) => Promise<void>

/** Rules by what they say of a store: "a store …". */
export type StorageRules = Readonly<Record<string, StorageRule>>

/** A rule for stores that search by words; any other must say that it does not. */
export function whereSearched(rule: StorageRule): StorageRule {
  return async (context) => {
    if (context.store.capabilities.search) return rule(context)
    await assertRefused('STORAGE_UNSUPPORTED', () => context.store.searchMessages({ query: 'word' }))
  }
}

/** A rule for stores that search by meaning; any other must say that it does not. */
export function whereVectors(rule: StorageRule): StorageRule {
  return async (context) => {
    if (context.store.capabilities.vectors) return rule(context)
    for (const call of vectorCalls(context.store)) await assertRefused('STORAGE_UNSUPPORTED', call)
  }
}

/** A rule for stores that keep blobs. */
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
