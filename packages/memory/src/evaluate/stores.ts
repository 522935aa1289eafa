import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'

/** The stores that recall is measured on, by name. Files go into `directory`. */
export function openStores(_directory: string): Record<string, () => Promise<Store> | Store> {
  return {
    'in-memory': () => new InMemoryStore(),
  }
}
