import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'

/** What a store does otherwise than it should. */
export type Mistake = (store: Store) => Partial<Store>

export interface BrokenStore {
  /** The rules that such a store must fail, and no others. */
  breaks: readonly string[]
  mistake: Mistake
}

/** Stores by what is wrong with them: "a store that …". */
export type BrokenStores = Readonly<Record<string, BrokenStore>>

/** A good store but for one mistake. */
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

/** Lets everybody else go on first: where a store reads and writes in two steps, others come between. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
