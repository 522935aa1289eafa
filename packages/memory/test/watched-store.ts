import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'

type StoreMethod = Exclude<
  { [NAME in keyof Store]: Store[NAME] extends (...given: never[]) => unknown ? NAME : never }[keyof Store],
  undefined
>

/** A store whose calls are on record, and which can be made to fail. */
export interface WatchedStore {
  storage: Store
  /** Names of the methods called, in order. */
  calls: StoreMethod[]
  /** Calls that fail before they do anything, by this error. */
  fail: (method: StoreMethod) => Error | undefined
  /** What calls wait for before they do anything. */
  wait: ((method: StoreMethod) => Promise<unknown>) | undefined
}

/** Passes every call on to a real store. */
export function watchStore(store: Store = new InMemoryStore()): WatchedStore {
  const watched: WatchedStore = { storage: store, calls: [], fail: () => undefined, wait: undefined }
  watched.storage = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        watched.calls.push(name as StoreMethod)
        const error = watched.fail(name as StoreMethod)
        if (error) return Promise.reject(error)
        const call = (): unknown => value.apply(target, given)
        return watched.wait ? watched.wait(name as StoreMethod).then(call) : call()
      }
    },
  })
  return watched
}
