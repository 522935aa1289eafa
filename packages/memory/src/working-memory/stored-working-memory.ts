import { isRecord, MillraceError, type Store } from '@millrace/core'
import { changeState, type StatePlace, type StoredState } from '../stored-state.ts'
import type { RuleOf } from './list-rules.ts'
import { mergePatch } from './merge-patch.ts'
import { type WorkingMemory, type WorkingMemoryShape, withoutPaths } from './shape.ts'

export type UpdateStrategy = 'merge' | 'replace'

/** What an update is checked against. */
export interface UpdateRules {
  shape: WorkingMemoryShape
  strategy: UpdateStrategy
  /** How lists are merged. */
  rule: RuleOf
  /** The most bytes of its JSON, in UTF-8. */
  maxBytes: number
}

/** The name of the working memory in the state of a thread or resource. */
const KEY = 'workingMemory'

export function workingMemoryOf({ state }: StoredState): WorkingMemory {
  const memory = state[KEY]
  return isRecord(memory) ? memory : {}
}

export interface UpdateOptions extends UpdateRules {
  storage: Store
  place: StatePlace
  /** What was read before, which saves reading it again. */
  known?: StoredState | undefined
  /** What there is no place for is left out, and the rest is stored. Default: false, nothing is stored then. */
  leavesOut?: boolean
}

/**
 * Merges patches into what is stored one after the other, or puts the last in its place. Two updates at once both hold: the one that comes second is made
 * again upon the first.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if the result does not have its shape, or is too large; nothing is stored then
 */
export async function updateWorkingMemory(
  patches: readonly WorkingMemory[],
  options: UpdateOptions,
): Promise<WorkingMemory> {
  const { storage, place, shape, rule, known, leavesOut = false } = options
  const clean: WorkingMemory[] = []
  for (const patch of patches) {
    const misfits = await misfitsOf(patch, { shape, rule })
    if (misfits.length > 0 && !leavesOut) throw noPlaceFor(misfits)
    clean.push(withoutPaths(patch, misfits))
  }
  let next: WorkingMemory = {}
  await changeState(
    storage,
    place,
    async (stored) => {
      next = await updated(workingMemoryOf(stored), clean, options)
      return { ...stored.state, [KEY]: next }
    },
    { known },
  )
  return next
}

/** Paths of a patch that the shape has no place for. */
export async function misfitsOf(
  patch: WorkingMemory,
  { shape, rule }: Pick<UpdateRules, 'shape' | 'rule'>,
): Promise<string[][]> {
  return (await shape.fit(mergePatch({}, patch, rule))).misfits
}

/**
 * What a working memory is after an update. What was stored under an older shape is left out where it does not fit.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if it does not fit, or is too large and larger than before
 */
async function updated(
  before: WorkingMemory,
  patches: readonly WorkingMemory[],
  { shape, maxBytes, ...rules }: UpdateRules,
): Promise<WorkingMemory> {
  const { value, misfits } = await shape.fit(merged(before, patches, rules))
  const wrong = misfits.filter(([first = '']) => patches.some((patch) => Object.hasOwn(patch, first)))
  if (wrong.length > 0) throw noPlaceFor(wrong)
  checkSize(value, { before, maxBytes })
  return value
}

/** What patches make of a working memory. */
export function merged(
  before: WorkingMemory,
  patches: readonly WorkingMemory[],
  { strategy, rule }: Pick<UpdateRules, 'strategy' | 'rule'>,
): WorkingMemory {
  if (strategy === 'replace') return mergePatch({}, patches.at(-1) ?? {}, rule)
  return patches.reduce((value, patch) => mergePatch(value, patch, rule), before)
}

/** @throws MillraceError `STORAGE_INPUT_INVALID` if it is too large, and larger than before */
export function checkSize(
  value: WorkingMemory,
  { before, maxBytes }: { before: WorkingMemory; maxBytes: number },
): void {
  const bytes = bytesOf(value)
  if (bytes <= maxBytes || bytes <= bytesOf(before)) return
  throw new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The working memory would take ${bytes} bytes, and may take ${maxBytes}. Shorten it, or remove what matters least (workingMemory.maxBytes).`,
  )
}

function bytesOf(value: WorkingMemory): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

function noPlaceFor(misfits: readonly (readonly string[])[]): MillraceError {
  const names = misfits.map((path) => path.join('.'))
  return new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The working memory has no place for '${names.join("', '")}' as given. See its template or schema.`,
  )
}
