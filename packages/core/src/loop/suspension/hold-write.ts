import { MillraceError } from '../../errors.ts'
import { mayPass, retryWrite } from '../../storage/retry-write.ts'
import type { RunStore } from '../../storage/run-store.ts'
import { heldWrites } from './held-writes.ts'

/**
 * Writes a run that nothing else lists. If the store cannot be written now, this process keeps the write and repeats it
 * before it next reads the runs of this store.
 *
 * @throws The error of the store, if another attempt cannot mend it
 */
export async function holdWrite(store: RunStore, runId: string, write: () => Promise<void>): Promise<void> {
  try {
    await retryWrite(write)
  } catch (error) {
    if (!mayPass(error) && !isLimit(error)) throw error
    const writes = heldWrites.get(store) ?? new Map<string, () => Promise<void>>()
    heldWrites.set(store, writes.set(runId, write))
  }
}

/** Repeats the writes that the store has refused. Never rejects. Returns the store. */
export async function repeatHeldWrites(store: RunStore): Promise<RunStore> {
  const writes = heldWrites.get(store)
  for (const [runId, write] of writes ?? []) {
    try {
      await write()
    } catch (error) {
      // Another attempt has claimed the run, or it cannot be stored at all.
      if (mayPass(error) || isLimit(error)) continue
    }
    writes?.delete(runId)
  }
  if (writes?.size === 0) heldWrites.delete(store)
  return store
}

/** Whether the store takes the run once others have ended. */
function isLimit(error: unknown): boolean {
  return MillraceError.isInstance(error) && error.code === 'RUN_LIMIT_REACHED'
}
