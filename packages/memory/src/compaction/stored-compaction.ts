import type { Store, ThreadKey } from '@millrace/core'
import { isConflict } from '../threads/is-conflict.ts'

/** What stands for the older messages of a thread. JSON, in the thread's state. */
export interface StoredCompaction {
  /** What they said that is worth keeping, as dated facts. */
  facts: string
  /** The last message they stand for. */
  through: number
}

/** A compaction with the thread's state around it, as far as it is needed to change it. */
export interface CompactionState {
  compaction: StoredCompaction | undefined
  state: Record<string, unknown>
  version: number
}

/** The name of the compaction in the state of a thread. */
const KEY = 'compaction'

export async function readCompaction(storage: Store, key: ThreadKey): Promise<CompactionState> {
  const thread = await storage.getThread(key)
  const state = thread?.state ?? {}
  const found = state[KEY] as StoredCompaction | undefined
  return { compaction: found, state, version: thread?.version ?? 0 }
}

/**
 * Puts a compaction in the place of the one that was read, or removes that. Returns whether it did: not if somebody else
 * has changed or removed the compaction meanwhile.
 */
export async function replaceCompaction(
  storage: Store,
  key: ThreadKey,
  { before, after }: { before: StoredCompaction | undefined; after: StoredCompaction | undefined },
): Promise<boolean> {
  for (;;) {
    const { compaction, state, version } = await readCompaction(storage, key)
    if (version === 0 || compaction?.through !== before?.through || compaction?.facts !== before?.facts)
      return false
    const { [KEY]: _, ...others } = state
    try {
      await storage.saveThread({
        ...key,
        state: after ? { ...others, [KEY]: after } : others,
        ifVersion: version,
      })
      return true
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}

/**
 * Drops the compaction of a thread whose older messages were edited or deleted: it may still say what they said. The next
 * one is made from what is there.
 */
export async function dropCompaction(storage: Store, key: ThreadKey): Promise<void> {
  const { compaction } = await readCompaction(storage, key)
  if (compaction) await replaceCompaction(storage, key, { before: compaction, after: undefined })
}
