import { isRecord, type Store, type ThreadKey } from '@millrace/core'
import { changeState, type StatePlace, type StoredState } from '../stored-state.ts'
import type { Observation } from './observation.ts'
import { type Cut, joinRanges, type SourceRange } from './source-range.ts'
import { addThreads, hasThread } from './thread-filter.ts'

export interface StoredObservation extends Observation {
  /** What it was made from: a key of `batches`. */
  batch: string
}

/** What a change has taken out and put in, so that it can be undone. */
export interface ObservationChange {
  removed: { index: number; note: StoredObservation }[]
  /** Ids. */
  added: string[]
}

/** The notes of a thread or resource. JSON, in its state. */
export interface StoredObservations {
  /** In the order in which they were made. */
  notes: StoredObservation[]
  /** The messages that notes were made from together. A note is as old as what the note-taker was shown, not as what it named. */
  batches: Record<string, SourceRange[]>
  /** Of batches from more threads than are listed: filters of the others. */
  older?: Record<string, string>
  /** Messages whose notes were dropped with those of others, to be read again. */
  pending: SourceRange[]
  /** The last ones, oldest first. */
  changes: ObservationChange[]
}

/** How far a thread was read. JSON, in its state. */
export interface ObservedPart {
  /** The place of the last message that notes were taken of. */
  through: number
  /** The place of the first message that is shown as it is. */
  shownFrom: number
}

/** Names in the state of a thread or resource. */
export const NOTES = 'observations'
export const PART = 'observed'

const MAX_CHANGES = 10

/** How many ranges of messages are kept for a batch, and of messages that are to be read again: those of the last threads. */
const MAX_RANGES = 100

/** Of what can be undone, in characters of JSON; the last change is always kept. */
const MAX_CHANGES_LENGTH = 65_536

export function observationsOf({ state }: StoredState): StoredObservations {
  const found = state[NOTES] as Partial<StoredObservations> | undefined
  return isRecord(found)
    ? (found as unknown as StoredObservations)
    : { notes: [], batches: {}, pending: [], changes: [] }
}

export function observedPartOf({ state }: StoredState): ObservedPart {
  return isRecord(state[PART]) ? (state[PART] as unknown as ObservedPart) : { through: 0, shownFrom: 0 }
}

/** A state without notes: of a copy of a thread, whose messages have places of their own. */
export function withoutObservations(state: Record<string, unknown>): Record<string, unknown> {
  const { [NOTES]: _, [PART]: __, ...others } = state
  return others
}

/**
 * Changes the notes of a place, and what is known of its thread. A thread that is gone is not created again.
 *
 * @returns Whether something was saved
 */
export async function changeObservations(
  storage: Store,
  place: StatePlace,
  change: (
    stored: StoredObservations,
    part: ObservedPart,
  ) => { stored?: StoredObservations; part?: ObservedPart } | undefined,
): Promise<boolean> {
  return changeState(storage, place, (found) => {
    if (place.threadId !== undefined && found.version === 0) return undefined
    const changed = change(observationsOf(found), observedPartOf(found))
    if (!changed) return undefined
    const { stored, part } = changed
    return {
      ...found.state,
      ...(stored && { [NOTES]: bounded(stored) }),
      ...(part && { [PART]: part }),
    }
  })
}

/** With a change on record, to be undone. */
export function recordChange(
  stored: StoredObservations,
  { removed, added }: ObservationChange,
): StoredObservations {
  return { ...stored, changes: [...stored.changes, { removed, added }] }
}

/** As it was before the last change; `undefined` if none is on record. */
export function undoChange(stored: StoredObservations): StoredObservations | undefined {
  const last = stored.changes.at(-1)
  if (!last) return undefined
  const notes = stored.notes.filter(({ id }) => !last.added.includes(id))
  for (const { index, note } of last.removed) notes.splice(Math.min(index, notes.length), 0, note)
  return { ...stored, notes, changes: stored.changes.slice(0, -1) }
}

/**
 * Without the notes that were made from what a cut takes away, wherever they are, and with what is left of their messages
 * to be read again. `undefined` if no note is touched.
 */
export function forgetNotes(stored: StoredObservations, cut: Cut): StoredObservations | undefined {
  const touched = new Set(
    Object.keys(stored.batches).filter(
      (batch) =>
        stored.batches[batch]?.some((range) => cut.leaves(range)) ||
        hasThread(stored.older?.[batch], cut.threadId),
    ),
  )
  if (touched.size === 0 && !stored.pending.some((range) => cut.leaves(range))) return undefined
  const isTouched = ({ batch }: StoredObservation): boolean => touched.has(batch)
  const removedIds = new Set(stored.notes.filter(isTouched).map(({ id }) => id))
  const notes = stored.notes.filter((note) => !isTouched(note))
  const batches = Object.fromEntries(Object.entries(stored.batches).filter(([batch]) => !touched.has(batch)))
  // Not those of notes that a change has taken out: with notes that were merged from them, they are read again.
  const kept = new Set(notes.flatMap(({ batch }) => batches[batch] ?? []).map(keyOf))
  const again = [...touched]
    .flatMap((batch) => stored.batches[batch] ?? [])
    .concat(stored.pending)
    .flatMap((range) => cut.leaves(range) ?? [range])
    .filter((range) => !kept.has(keyOf(range)))
  return {
    ...stored,
    notes,
    batches,
    pending: joinRanges(again),
    changes: stored.changes.filter(
      ({ removed, added }) =>
        !removed.some(({ note }) => isTouched(note)) && !added.some((id) => removedIds.has(id)),
    ),
  }
}

/** The last place in a thread that a note came from: what a crash has left out of `ObservedPart`. */
export function lastPlaceIn({ threadId }: ThreadKey, { batches, pending }: StoredObservations): number {
  let last = 0
  for (const range of [...Object.values(batches).flat(), ...pending]) {
    if (range.threadId === threadId) last = Math.max(last, range.to)
  }
  return last
}

function keyOf({ threadId, from, to }: SourceRange): string {
  return JSON.stringify([threadId, from, to])
}

/** Without changes that are too old to be undone, batches that no note is of, and more ranges than are kept. */
export function bounded(stored: StoredObservations): StoredObservations {
  const few = { ...stored, ...fewerRanges(stored), pending: joinMany(stored.pending).slice(-MAX_RANGES) }
  let kept = onlyUsed({ ...few, changes: few.changes.slice(-MAX_CHANGES) })
  const fixed = lengthOf(onlyUsed({ ...few, changes: [] }))
  while (kept.changes.length > 1 && lengthOf(kept) - fixed > MAX_CHANGES_LENGTH) {
    kept = onlyUsed({ ...kept, changes: kept.changes.slice(1) })
  }
  return kept
}

/** What grows with the changes that can be undone. */
function lengthOf({ batches, older, changes }: StoredObservations): number {
  return JSON.stringify({ batches, older, changes }).length
}

/** Without batches that no note is of, nor one that can be brought back. */
function onlyUsed({ older = {}, batches, ...stored }: StoredObservations): StoredObservations {
  const removed = stored.changes.flatMap((change) => change.removed.map(({ note }) => note))
  const used = new Set([...stored.notes, ...removed].map(({ batch }) => batch))
  const pick = <VALUE>(values: Readonly<Record<string, VALUE>>): Record<string, VALUE> =>
    Object.fromEntries(Object.entries(values).filter(([batch]) => used.has(batch)))
  const usedOlder = pick(older)
  return {
    ...stored,
    batches: pick(batches),
    ...(Object.keys(usedOlder).length > 0 && { older: usedOlder }),
  }
}

/** Of each batch the ranges of the last threads, and a filter of the others. */
function fewerRanges({
  batches,
  older = {},
}: StoredObservations): Pick<StoredObservations, 'batches' | 'older'> {
  const listed: StoredObservations['batches'] = {}
  const others = { ...older }
  for (const [batch, ranges] of Object.entries(batches)) {
    const joined = joinMany(ranges)
    listed[batch] = joined.slice(-MAX_RANGES)
    const left = joined.slice(0, -MAX_RANGES).map(({ threadId }) => threadId)
    if (left.length > 0) others[batch] = addThreads(older[batch], left)
  }
  return { batches: listed, older: others }
}

/** Where there are many, one for each thread. */
function joinMany(ranges: SourceRange[]): SourceRange[] {
  return ranges.length > MAX_RANGES ? joinRanges(ranges, { bridging: true }) : ranges
}
