import type { Run } from '../../run/run.ts'
import type { Suspend } from '../../signals.ts'
import { ownerOf } from '../../storage/owner.ts'
import { retryWrite } from '../../storage/retry-write.ts'
import type { RunStore, StoredRun } from '../../storage/run-store.ts'
import type { UnwrittenReview } from '../end/review-incomplete.ts'
import { isUnwritten } from '../end/unwritten.ts'
import { toStoredRun } from './capture.ts'
import { holdWrite } from './hold-write.ts'

interface StoreOptions {
  store: RunStore
  /** Milliseconds. */
  ttl: number
}

/**
 * Stores a run that suspends. A run whose thread could not be written has nothing else that lists its calls: if the
 * store refuses it too, this process keeps it until the store works again.
 *
 * @throws MillraceError `RUN_STATE_NOT_JSON`, or the error of the store
 */
export async function storeSuspended(
  run: Run,
  signal: Suspend,
  { store, ttl }: StoreOptions,
): Promise<StoredRun> {
  const stored = toStoredRun(run, signal, { ttl })
  const { journal } = run
  let failed = false
  const write = async (): Promise<void> => {
    try {
      await (journal ? journal.suspend(stored) : store.saveRun(stored))
    } catch (error) {
      // An earlier attempt may have succeeded although the store reported an error.
      if (failed && (await isSuspended(store, stored))) return
      failed = true
      throw error
    }
  }
  if (isUnwritten(signal)) await holdWrite(store, stored.runId, write)
  else await retryWrite(write)
  return stored
}

async function isSuspended(store: RunStore, stored: StoredRun): Promise<boolean> {
  const found = await store.getRun(stored.runId, ownerOf(stored)).catch(() => undefined)
  return found?.state === 'suspended'
}

/** Stores a run that has ended, with the review in which its thread could not be written. */
export async function storeUnwritten(
  run: Run,
  { review, signal }: UnwrittenReview,
  { store, ttl }: StoreOptions,
): Promise<void> {
  review.journal = run.journal
  await storeSuspended(review, signal, { store, ttl })
}
