import type { Store, ThreadKey } from '@millrace/core'
import { isConflict } from './threads/is-conflict.ts'

/** Whose state is meant: that of a resource, or of a thread. */
export type StatePlace = { resourceId: string; threadId?: undefined } | ThreadKey

/** What a place keeps for processors, as far as it is needed to change it. JSON. */
export interface StoredState {
  state: Record<string, unknown>
  /** 0: nothing is stored there. */
  version: number
}

/** Attempts to save what others change at the same time. Each one that fails means that another succeeded. */
const MAX_ATTEMPTS = 100

/** What is kept belongs to the resource, if there is one and nothing else is asked for. */
export function statePlace({ threadId, resourceId }: ThreadKey, scope: 'resource' | 'thread'): StatePlace {
  return scope === 'resource' && resourceId !== undefined ? { resourceId } : { threadId, resourceId }
}

export async function readState(storage: Store, place: StatePlace): Promise<StoredState> {
  const found =
    place.threadId === undefined ? await storage.getResource(place) : await storage.getThread(place)
  return { state: found?.state ?? {}, version: found?.version ?? 0 }
}

/**
 * Changes the state of a place. Two changes at once both hold: the one that comes second is made again upon the first.
 *
 * @param change The state as it should be; `undefined` leaves it alone
 * @param options.known What was read before, which saves reading it again
 * @returns Whether something was saved
 */
export async function changeState(
  storage: Store,
  place: StatePlace,
  change: (
    stored: StoredState,
  ) => Record<string, unknown> | undefined | Promise<Record<string, unknown> | undefined>,
  { known }: { known?: StoredState | undefined } = {},
): Promise<boolean> {
  let stored = known
  for (let attempt = 1; ; attempt++) {
    stored ??= await readState(storage, place)
    const state = await change(stored)
    if (!state) return false
    try {
      const changes = { state, ifVersion: stored.version }
      if (place.threadId === undefined) await storage.saveResource({ ...place, ...changes })
      else await storage.saveThread({ ...place, ...changes })
      return true
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
      stored = undefined
    }
  }
}
