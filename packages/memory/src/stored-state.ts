import type { Store, ThreadKey } from '@millrace/core'
import { isConflict } from './threads/is-conflict.ts'

/** Whose state: a resource's or a thread's. */
export type StateKey = { resourceId: string; threadId?: undefined } | ThreadKey

/** The state that is kept for processors, and its version. JSON. */
export interface StoredState {
  state: Record<string, unknown>
  /** 0 if no state is stored. */
  version: number
}

/**
 * Maximum number of attempts to save concurrently changed state. Each failed attempt means that another
 * writer succeeded.
 */
const MAX_ATTEMPTS = 100

/** The resource's state if the scope is `resource` and there is a resource; otherwise the thread's. */
export function stateKeyOf({ threadId, resourceId }: ThreadKey, scope: 'resource' | 'thread'): StateKey {
  return scope === 'resource' && resourceId !== undefined ? { resourceId } : { threadId, resourceId }
}

export async function readState(storage: Store, stateKey: StateKey): Promise<StoredState> {
  const found =
    stateKey.threadId === undefined ? await storage.getResource(stateKey) : await storage.getThread(stateKey)
  return { state: found?.state ?? {}, version: found?.version ?? 0 }
}

/**
 * Updates a state with optimistic locking. If another writer was faster, `change` runs again on the new
 * state.
 *
 * @param change Returns the new state, or `undefined` to leave it unchanged
 * @param options.known The state, if the caller has read it
 * @returns Whether something was saved
 */
export async function changeState(
  storage: Store,
  stateKey: StateKey,
  change: (
    stored: StoredState,
  ) => Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>,
  { known }: { known?: StoredState | undefined } = {},
): Promise<boolean> {
  let stored = known
  for (let attempt = 1; ; attempt++) {
    stored ??= await readState(storage, stateKey)
    const state = await change(stored)
    if (!state) return false
    try {
      const changes = { state, ifVersion: stored.version }
      if (stateKey.threadId === undefined) await storage.saveResource({ ...stateKey, ...changes })
      else await storage.saveThread({ ...stateKey, ...changes })
      return true
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
      stored = undefined
    }
  }
}
