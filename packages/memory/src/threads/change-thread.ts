import type { Store, Thread, ThreadChanges, ThreadKey } from '@millrace/core'
import { isConflict } from './is-conflict.ts'

/**
 * Updates an existing thread with optimistic locking: if another writer was faster, `changesOf` runs again on
 * the new thread. Does not create a thread. If `changesOf` returns `undefined`, nothing changes.
 */
export async function changeThread(
  storage: Store,
  key: ThreadKey,
  changesOf: (thread: Thread) => ThreadChanges | undefined,
): Promise<Thread | undefined> {
  for (;;) {
    const thread = await storage.getThread(key)
    const changes = thread && changesOf(thread)
    if (!changes) return thread
    try {
      return await storage.saveThread({ ...key, ...changes, ifVersion: thread.version })
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
