import { isRecord, MillraceError, type Store } from '@millrace/core'
import { changeState, type StateKey, type StoredState } from '../stored-state.ts'
import type { RuleOf } from './list-rules.ts'
import { mergePatch } from './merge-patch.ts'
import { type WorkingMemory, type WorkingMemoryShape, withoutPaths } from './shape.ts'

export type UpdateStrategy = 'merge' | 'replace'

/** The rules that an update must follow. */
export interface UpdateRules {
  shape: WorkingMemoryShape
  strategy: UpdateStrategy
  /** How lists are merged. */
  rule: RuleOf
  /** Maximum size in bytes, as JSON in UTF-8. */
  maxBytes: number
}

/** The key of the working memory in the state of a thread or resource. */
const KEY = 'workingMemory'

export function workingMemoryOf({ state }: StoredState): WorkingMemory {
  const memory = state[KEY]
  return isRecord(memory) ? memory : {}
}

export interface UpdateOptions extends UpdateRules {
  storage: Store
  stateKey: StateKey
  /** The state, if the caller has read it. */
  known?: StoredState | undefined
  /** Drops facts that do not fit, and stores the rest. Default: false: nothing is stored then. */
  dropsMisfits?: boolean
}

/**
 * Merges patches into the stored working memory, in order; with `replace`, the last patch replaces it. If
 * another writer was faster, the update runs again on the new state.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if the result does not fit the shape, or is too large;
 *   nothing is stored then
 */
export async function updateWorkingMemory(
  patches: readonly WorkingMemory[],
  options: UpdateOptions,
): Promise<WorkingMemory> {
  const { storage, stateKey, shape, rule, known, dropsMisfits = false } = options
  const clean: WorkingMemory[] = []
  for (const patch of patches) {
    const misfits = await misfitsOf(patch, { shape, rule })
    if (misfits.length > 0 && !dropsMisfits) throw misfitError(misfits)
    clean.push(withoutPaths(patch, misfits))
  }
  let next: WorkingMemory = {}
  await changeState(
    storage,
    stateKey,
    async (stored) => {
      next = await applyUpdate(workingMemoryOf(stored), clean, options)
      return { ...stored.state, [KEY]: next }
    },
    { known },
  )
  return next
}

/** The paths of a patch that do not fit the shape. */
export async function misfitsOf(
  patch: WorkingMemory,
  { shape, rule }: Pick<UpdateRules, 'shape' | 'rule'>,
): Promise<string[][]> {
  return (await shape.fit(mergePatch({}, patch, rule))).misfits
}

/**
 * The working memory after an update. Stored facts of an older shape that no longer fit are dropped.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if a patch does not fit, or the result is too large and
 *   larger than before
 */
async function applyUpdate(
  before: WorkingMemory,
  patches: readonly WorkingMemory[],
  { shape, maxBytes, ...rules }: UpdateRules,
): Promise<WorkingMemory> {
  const { value, misfits } = await shape.fit(applyPatches(before, patches, rules))
  const wrong = misfits.filter(([first = '']) => patches.some((patch) => Object.hasOwn(patch, first)))
  if (wrong.length > 0) throw misfitError(wrong)
  checkSize(value, { before, maxBytes })
  return value
}

/** Applies patches to a working memory. */
export function applyPatches(
  before: WorkingMemory,
  patches: readonly WorkingMemory[],
  { strategy, rule }: Pick<UpdateRules, 'strategy' | 'rule'>,
): WorkingMemory {
  if (strategy === 'replace') return mergePatch({}, patches.at(-1) ?? {}, rule)
  return patches.reduce((value, patch) => mergePatch(value, patch, rule), before)
}

/** @throws MillraceError `STORAGE_INPUT_INVALID` if the value is too large, and larger than before */
export function checkSize(
  value: WorkingMemory,
  { before, maxBytes }: { before: WorkingMemory; maxBytes: number },
): void {
  const bytes = bytesOf(value)
  if (bytes <= maxBytes || bytes <= bytesOf(before)) return
  throw new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The working memory would have ${bytes} bytes, but the limit is ${maxBytes} (workingMemory.maxBytes). Shorten it, or remove what matters least.`,
  )
}

function bytesOf(value: WorkingMemory): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

function misfitError(misfits: readonly (readonly string[])[]): MillraceError {
  const names = misfits.map((path) => path.join('.'))
  return new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The working memory cannot store '${names.join("', '")}' as given. Use the names and types of its template or schema.`,
  )
}
