import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'

/** The methods of a store with a fault. */
export type Mistake = (store: Store) => Partial<Store>

export interface BrokenStore {
  /** The rules that the store must fail, and no others. */
  breaks: readonly string[]
  mistake: Mistake
}

/** Broken stores by their fault, which completes "a store that …". */
export type BrokenStores = Readonly<Record<string, BrokenStore>>

/** A correct store with one fault. */
export function withMistake(mistake: Mistake, store: Store = new InMemoryStore()): Store {
  const wrong = mistake(store)
  return new Proxy(store, {
    get(target, name) {
      if (name in wrong) return wrong[name as keyof Store]
      const value = target[name as keyof Store]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Lets other operations run in between, if a store reads and writes in two steps. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
