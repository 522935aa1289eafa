import { MillraceError, type Store, type ThreadKey } from '@millrace/core'
import { readState, type StateKey } from '../stored-state.ts'
import { isDay, type NewObservation, type Observation, toLine } from './observation.ts'
import { type Cut, cutAfter, cutMessages, markEdited } from './source-range.ts'
import {
  changeObservations,
  dropNotes,
  observationsOf,
  recordChange,
  type StoredObservations,
  undoChange,
} from './stored-observations.ts'

/** All notes, in the order in which they were made. */
export async function listObservations(storage: Store, stateKey: StateKey): Promise<Observation[]> {
  const { notes } = observationsOf(await readState(storage, stateKey))
  return notes.map(({ batch: _, ...note }) => note)
}

/**
 * Updates the given fields of a note. `undefined` if it does not exist.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if the text is empty or the date is invalid
 */
export async function updateObservation(
  storage: Store,
  stateKey: StateKey,
  { id, text, date }: { id: string } & Partial<Pick<NewObservation, 'text' | 'date'>>,
): Promise<Observation | undefined> {
  if (text !== undefined && toLine(text) === '') {
    throw new MillraceError(
      'STORAGE_INPUT_INVALID',
      'The text of an observation is empty. Pass a text, or delete the observation.',
    )
  }
  if (date !== undefined && !isDay(date)) {
    throw new MillraceError(
      'STORAGE_INPUT_INVALID',
      `The date '${date}' is not valid. Write it as '2026-05-08'.`,
    )
  }
  const changes = { ...(text !== undefined && { text: toLine(text) }), ...(date !== undefined && { date }) }
  await changeObservations(storage, stateKey, (stored) => {
    const index = stored.notes.findIndex((note) => note.id === id)
    const note = stored.notes[index]
    if (!note) return undefined
    const notes = stored.notes.with(index, { ...note, ...changes })
    return {
      stored: recordChange({ ...stored, notes }, { removed: [{ index, note }], added: [id] }),
    }
  })
  return (await listObservations(storage, stateKey)).find((note) => note.id === id)
}

/** Returns how many notes existed. */
export async function deleteObservations(
  storage: Store,
  stateKey: StateKey,
  ids: readonly string[],
): Promise<number> {
  let count = 0
  await changeObservations(storage, stateKey, (stored) => {
    const removed = stored.notes.flatMap((note, index) => (ids.includes(note.id) ? [{ index, note }] : []))
    count = removed.length
    if (count === 0) return undefined
    const notes = stored.notes.filter((note) => !ids.includes(note.id))
    return { stored: recordChange({ ...stored, notes }, { removed, added: [] }) }
  })
  return count
}

/** Reverts the last edit, deletion or merge. Returns whether there was one. */
export async function undoObservations(storage: Store, stateKey: StateKey): Promise<boolean> {
  return changeObservations(storage, stateKey, (stored) => {
    const before = undoChange(stored)
    return before && { stored: before }
  })
}

/**
 * The cut for messages of a thread that are about to be deleted or edited. `undefined` if they do not exist.
 */
export async function cutOf(
  storage: Store,
  { threadId, resourceId }: ThreadKey,
  { messageIds, as }: { messageIds: readonly string[]; as: 'deleted' | 'edited' },
): Promise<Cut | undefined> {
  const found = await storage.getMessages({
    resourceId,
    messages: messageIds.map((messageId) => ({ threadId, messageId })),
    ...(as === 'deleted' && { previous: 1, next: 1 }),
  })
  const meant = new Set(messageIds)
  const places = found.filter(({ message }) => meant.has(message.id)).map(({ sequence }) => sequence)
  if (places.length === 0) return undefined
  if (as === 'edited') return markEdited(threadId, places)
  return cutMessages(threadId, {
    gone: places,
    around: found.filter(({ message }) => !meant.has(message.id)),
  })
}

/**
 * Deletes the notes made from messages of a cut. What remains of their source messages is read again in the
 * background.
 */
export async function dropNotesOfCut(storage: Store, stateKey: StateKey, cut: Cut): Promise<void> {
  await changeObservations(storage, stateKey, (stored: StoredObservations) => {
    const left = dropNotes(stored, cut)
    return left && { stored: left }
  })
}

/** The cut for a thread that is deleted. */
export function cutOfThread(threadId: string): Cut {
  return cutAfter(threadId, 0)
}
