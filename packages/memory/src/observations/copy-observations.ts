import { isRecord, type Store, type StoredMessage } from '@millrace/core'
import { changeState } from '../stored-state.ts'
import { remapProgress } from './move-observations.ts'
import type { Cut, SourceRange } from './source-range.ts'
import {
  applyLimits,
  dropNotes,
  NOTES,
  observationsOf,
  PROGRESS,
  progressOf,
  type StoredObservation,
  type StoredObservations,
} from './stored-observations.ts'

type State = Record<string, unknown>

/** Messages of a thread and their copies in another thread, in the same order. */
export interface CopiedMessages {
  originals: { threadId: string; messages: readonly StoredMessage[] }
  copies: { threadId: string; messages: readonly StoredMessage[] }
}

/** Whether a state has notes, pending messages or progress. */
export function hasNotes(state: State): boolean {
  return isRecord(state[NOTES]) || isRecord(state[PROGRESS])
}

/**
 * The state of a copied thread, with the notes of the copied messages. A note that also has sources that were
 * not copied is dropped, and its copied messages are read again.
 */
export function copyThreadNotes(state: State, copied: CopiedMessages): State {
  const moved = remapProgress(state, placesOf(state, copied))
  if (!isRecord(state[NOTES])) return moved
  const stored = observationsOf({ state, version: 0 })
  const kept = dropNotes(stored, cutToCopied(copied)) ?? stored
  const ids = idsOf(copied)
  const copyNote = (note: StoredObservation): StoredObservation => ({
    ...note,
    sources: note.sources.map(({ messageIds }) => ({
      threadId: copied.copies.threadId,
      messageIds: messageIds.flatMap((id) => ids.get(id) ?? []),
    })),
  })
  const copy: StoredObservations = {
    ...kept,
    notes: kept.notes.map(copyNote),
    batches: mapValues(kept.batches, (ranges) => ranges.flatMap((range) => copyRange(range, copied))),
    pending: kept.pending.flatMap((range) => copyRange(range, copied)),
    changes: kept.changes.map(({ removed, added }) => ({
      removed: removed.map(({ index, note }) => ({ index, note: copyNote(note) })),
      added,
    })),
  }
  return { ...moved, [NOTES]: copy }
}

/**
 * Adds the copies as sources to the notes of a resource: these notes now remain as long as the originals or
 * the copies exist.
 */
export async function addCopiesToNotes(
  storage: Store,
  resourceId: string,
  copied: CopiedMessages,
): Promise<void> {
  const withCopies = (ranges: readonly SourceRange[]): SourceRange[] => [
    ...ranges,
    ...ranges
      .filter(({ threadId }) => threadId === copied.originals.threadId)
      .flatMap((range) => copyRange(range, copied)),
  ]
  await changeState(storage, { resourceId }, (found) => {
    const { state } = found
    if (!isRecord(state[NOTES])) return undefined
    const stored = observationsOf(found)
    const changed = {
      ...stored,
      batches: mapValues(stored.batches, withCopies),
      pending: withCopies(stored.pending),
    }
    return JSON.stringify(changed) === JSON.stringify(stored)
      ? undefined
      : { ...state, [NOTES]: applyLimits(changed) }
  })
}

/** Removes the messages that were not copied. */
function cutToCopied({ originals: { threadId, messages } }: CopiedMessages): Cut {
  const from = messages[0]?.sequence ?? Number.POSITIVE_INFINITY
  const to = messages.at(-1)?.sequence ?? 0
  return {
    threadId,
    remainderOf(range) {
      if (range.threadId !== threadId || (range.from >= from && range.to <= to)) return undefined
      const within = messagesIn(range, messages)
      const [first] = within
      const last = within.at(-1)
      return first && last
        ? [{ threadId, firstId: first.message.id, from: first.sequence, to: last.sequence }]
        : []
    },
  }
}

/** The same messages in the copy. */
function copyRange(range: SourceRange, { originals, copies }: CopiedMessages): SourceRange[] {
  const within = messagesIn(range, originals.messages)
  const [first] = within
  if (!first) return []
  const start = originals.messages.indexOf(first)
  const [from, to] = [copies.messages[start], copies.messages[start + within.length - 1]]
  if (!from || !to) return []
  return [{ threadId: copies.threadId, firstId: from.message.id, from: from.sequence, to: to.sequence }]
}

function messagesIn({ from, to }: SourceRange, messages: readonly StoredMessage[]): StoredMessage[] {
  return messages.filter(({ sequence }) => sequence >= from && sequence <= to)
}

function idsOf({ originals, copies }: CopiedMessages): Map<string, string> {
  return new Map(
    originals.messages.map(({ message }, index) => [message.id, copies.messages[index]?.message.id ?? '']),
  )
}

/** Maps the positions of `ObservationProgress` to the copy: see `remapProgress`. */
function placesOf(state: State, { originals, copies }: CopiedMessages): Map<number, number> {
  const { through, shownFrom } = progressOf({ state, version: 0 })
  const placeNow = (place: number): number => {
    const index = originals.messages.findLastIndex(({ sequence }) => sequence <= place)
    return copies.messages[index]?.sequence ?? 0
  }
  return new Map([through, shownFrom].map((place) => [place, placeNow(place)]))
}

function mapValues<VALUE>(
  record: Readonly<Record<string, VALUE>>,
  change: (value: VALUE) => VALUE,
): Record<string, VALUE> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
