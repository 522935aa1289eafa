import type { Store } from '@millrace/core'
import { closed, InMemoryStore } from '@millrace/core/storage'
import { type Mistake, withMistake } from './broken-store.ts'

/** Opens stores that keep their data by name, like files, for the rules about persistent stores. */
export function openByName(mistake: Mistake = () => ({})): (database: string) => Store {
  const databases = new Map<string, Store>()
  return (database) => {
    const data = databases.get(database) ?? new InMemoryStore()
    databases.set(database, data)
    let isClosed = false
    const opened = new Proxy(data, {
      get(target, name) {
        if (name === 'capabilities') return { ...target.capabilities, persistent: true }
        const value = target[name as keyof Store]
        if (typeof value !== 'function') return value
        return async (...values: never[]) => {
          if (isClosed && name !== 'close') throw closed('store')
          if (name === 'close') {
            isClosed = true
            return
          }
          return (value as (...values: never[]) => unknown).apply(target, values)
        }
      },
    })
    return withMistake(mistake, opened)
  }
}
