import { isRecord, MillraceError, type Store } from '@millrace/core'
import { changeState, type StatePlace, type StoredState } from '../stored-state.ts'
import { mergePatch } from './merge-patch.ts'
import type { WorkingMemory, WorkingMemoryShape } from './shape.ts'

export type UpdateStrategy = 'merge' | 'replace'

/** The name of the working memory in the state of a thread or resource. */
const KEY = 'workingMemory'

export function workingMemoryOf({ state }: StoredState): WorkingMemory {
  const memory = state[KEY]
  return isRecord(memory) ? memory : {}
}

export interface UpdateOptions {
  storage: Store
  place: StatePlace
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
  const { storage, place, shape, strategy, known } = options
  let next: WorkingMemory = {}
  await changeState(
    storage,
    place,
    async (stored) => {
      const before = strategy === 'merge' ? workingMemoryOf(stored) : {}
      next = await fitting(mergePatch(before, patch), patch, shape)
      return { ...stored.state, [KEY]: next }
    },
    { known },
  )
  return next
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
