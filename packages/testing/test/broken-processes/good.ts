import type { Store } from '@millrace/core'
import { openLog, remove } from './log-store.ts'

export { remove }

export const create = (database: string): Store => openLog(database)
