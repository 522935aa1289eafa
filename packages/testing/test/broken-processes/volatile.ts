import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'

export const create = (): Store => new InMemoryStore()
