import type { Store, Thread, ThreadChanges, ThreadKey } from '@millrace/core'
import { isConflict } from './is-conflict.ts'

/**
 * Changes a thread that is there, and creates none: the changes are made of the thread as it is now, and made again if
 * somebody else was faster. `undefined` from `changesOf` leaves it alone.
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
