import type { Store } from '@millrace/core'
import { isConflict } from './is-conflict.ts'

/** A conversation that is to be there from the beginning. */
export interface ThreadSeed {
  id: string
  resourceId?: string
  title?: string
  /** JSON. */
  metadata?: Record<string, unknown>
}

/** Creates the threads that are not there yet. What is there stays as it is. */
export async function seedThreads(storage: Store, threads: readonly ThreadSeed[]): Promise<void> {
  for (const { id: threadId, ...thread } of threads) {
    try {
      await storage.saveThread({ threadId, ...thread, ifVersion: 0 })
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
