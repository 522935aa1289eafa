import { isRecord, MillraceError, type Store, type ThreadKey } from '@millrace/core'
import { isConflict } from '../threads/is-conflict.ts'
import { mergePatch } from './merge-patch.ts'
import type { WorkingMemory, WorkingMemoryShape } from './shape.ts'

/** Whose working memory is meant: that of a resource, or of a thread. */
export type WorkingMemoryPlace = { resourceId: string; threadId?: undefined } | ThreadKey

/** What is stored at a place, as far as it is needed to change it. JSON. */
export interface StoredState {
  state: Record<string, unknown>
  version: number
}

export type UpdateStrategy = 'merge' | 'replace'

/** The name of the working memory in the state of a thread or resource. */
const KEY = 'workingMemory'

/** Attempts to save what others change at the same time. Each one that fails means that another succeeded. */
const MAX_ATTEMPTS = 100

/** Working memory belongs to the resource, if there is one and nothing else is asked for. */
export function workingMemoryPlace(
  { threadId, resourceId }: ThreadKey,
  scope: 'resource' | 'thread',
): WorkingMemoryPlace {
  return scope === 'resource' && resourceId !== undefined ? { resourceId } : { threadId, resourceId }
}

export async function readState(storage: Store, place: WorkingMemoryPlace): Promise<StoredState> {
  const found =
    place.threadId === undefined ? await storage.getResource(place) : await storage.getThread(place)
  return { state: found?.state ?? {}, version: found?.version ?? 0 }
}

export function workingMemoryOf({ state }: StoredState): WorkingMemory {
  const memory = state[KEY]
  return isRecord(memory) ? memory : {}
}

export interface UpdateOptions {
  storage: Store
  place: WorkingMemoryPlace
  shape: WorkingMemoryShape
  strategy: UpdateStrategy
  /** What was read before, which saves reading it again. */
  known?: StoredState | undefined
}

/**
 * Merges a patch into what is stored, or replaces it. Two updates at once both hold: the one that comes second is made
 * again upon the first.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if the result does not have its shape; nothing is stored then
 */
export async function updateWorkingMemory(
  patch: WorkingMemory,
  options: UpdateOptions,
): Promise<WorkingMemory> {
  const { storage, place, shape, strategy } = options
  let { known } = options
  for (let attempt = 1; ; attempt++) {
    const { state, version } = known ?? (await readState(storage, place))
    const before = strategy === 'merge' ? workingMemoryOf({ state, version }) : {}
    const next = await fitting(mergePatch(before, patch), patch, shape)
    try {
      const changes = { state: { ...state, [KEY]: next }, ifVersion: version }
      if (place.threadId === undefined) await storage.saveResource({ ...place, ...changes })
      else await storage.saveThread({ ...place, ...changes })
      return next
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
      known = undefined
    }
  }
}

/** What was stored under an older shape is left out where it does not fit; what is new must fit. */
async function fitting(
  merged: WorkingMemory,
  patch: WorkingMemory,
  shape: WorkingMemoryShape,
): Promise<WorkingMemory> {
  const { value, misfits } = await shape.fit(merged)
  const wrong = misfits.filter((name) => Object.hasOwn(patch, name))
  if (wrong.length === 0) return value
  throw new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The working memory has no place for '${wrong.join("', '")}' as given. See its template or schema.`,
  )
}
