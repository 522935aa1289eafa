import type { OptionNames, Store } from '@millrace/core'
import { isConflict } from './is-conflict.ts'

/** A thread that must exist. */
export interface ThreadSeed {
  id: string
  resourceId?: string
  title?: string
  /** JSON. */
  metadata?: Record<string, unknown>
}

export const THREAD_SEED: OptionNames<ThreadSeed> = {
  id: 'required',
  resourceId: 'optional',
  title: 'optional',
  metadata: 'optional',
}

/** Creates the threads that do not exist. Existing threads are not changed. */
export async function seedThreads(storage: Store, threads: readonly ThreadSeed[]): Promise<void> {
  for (const { id: threadId, ...thread } of threads) {
    try {
      await storage.saveThread({ threadId, ...thread, ifVersion: 0 })
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
