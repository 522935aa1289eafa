import { MillraceError, type Store } from '@millrace/core'
import { readState, type StateKey } from '../stored-state.ts'
import { checkNotes, countFitting, type NoteSettings, tokensPerCall } from './note-limits.ts'
import { mergeSources, type NewObservation } from './observation.ts'
import { joinRanges } from './source-range.ts'
import {
  changeObservations,
  observationsOf,
  recordChange,
  type StoredObservation,
  type StoredObservations,
} from './stored-observations.ts'
import type { Reflector } from './take-notes.ts'
import { joinFilters } from './thread-filter.ts'

export interface MergeOptions extends NoteSettings {
  storage: Store
  stateKey: StateKey
  reflect: Reflector
  /** The current notes, if the caller has read them. */
  known?: StoredObservations | undefined
}

/**
 * Merges all notes if they exceed the token limit.
 *
 * @throws MillraceError `MODEL_OUTPUT_INVALID` if the merged notes exceed it too; the notes then stay
 *   unchanged
 */
export async function mergeNotes({
  storage,
  stateKey,
  reflect,
  known,
  ...settings
}: MergeOptions): Promise<void> {
  const before = known ?? observationsOf(await readState(storage, stateKey))
  if ((await countFitting(before.notes, settings)) === before.notes.length) return
  const maxTokens = tokensPerCall(settings)
  const observations = before.notes.map(({ batch: _, ...note }) => note)
  const made = checkNotes(await reflect({ observations, maxTokens }), 'reflect')
  const lastDay = before.notes
    .map(({ date }) => date)
    .toSorted()
    .at(-1) as string
  const dated = made.map((note) => ({ ...note, date: note.date ?? lastDay }))
  const isSmaller = (await countFitting(dated, settings)) === made.length
  if (made.length === 0 || !isSmaller) {
    throw new MillraceError(
      'MODEL_OUTPUT_INVALID',
      `The reflector must merge the notes into ${maxTokens} tokens, but returned ${made.length === 0 ? 'no notes' : `more than ${settings.maxTokens}`}. The notes are unchanged, and the newest of them are shown. Raise observations.maxTokens, or use another model.`,
    )
  }
  const ids = new Set(before.notes.map(({ id }) => id))
  const batch = crypto.randomUUID()
  const notes = dated.map((note) => ({
    id: crypto.randomUUID(),
    date: note.date,
    text: note.text,
    sources: mergeSources(sourcesNamed(note, before.notes)),
    batch,
  }))
  await changeObservations(storage, stateKey, (stored) => {
    const merged = stored.notes.filter(({ id }) => ids.has(id))
    const isSame = JSON.stringify(merged) === JSON.stringify(before.notes)
    // Some notes were edited or deleted in the meantime, and the merged ones may still contain their text.
    if (!isSame) return undefined
    const removed = stored.notes.flatMap((note, index) => (ids.has(note.id) ? [{ index, note }] : []))
    const batches = [...new Set(merged.map((note) => note.batch))]
    const ranges = batches.flatMap((each) => stored.batches[each] ?? [])
    const older = joinFilters(batches.flatMap((each) => stored.older?.[each] ?? []))
    const changed = {
      ...stored,
      notes: [...notes, ...stored.notes.filter(({ id }) => !ids.has(id))],
      batches: { ...stored.batches, [batch]: joinRanges(ranges) },
      ...(older !== undefined && { older: { ...stored.older, [batch]: older } }),
    }
    return { stored: recordChange(changed, { removed, added: notes.map(({ id }) => id) }) }
  })
}

/** The sources of those notes that name one of these messages. If no note does, the sources of all notes. */
function sourcesNamed(
  { messageIds = [] }: NewObservation,
  notes: readonly StoredObservation[],
): StoredObservation['sources'] {
  const named = notes
    .flatMap(({ sources }) => sources)
    .map(({ threadId, messageIds: ids }) => ({
      threadId,
      messageIds: ids.filter((id) => messageIds.includes(id)),
    }))
    .filter(({ messageIds: ids }) => ids.length > 0)
  return named.length > 0 ? named : notes.flatMap(({ sources }) => sources)
}
