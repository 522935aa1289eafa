import { isRecord, type Store, type ThreadKey } from '@millrace/core'
import { changeState, type StateKey, type StoredState } from '../stored-state.ts'
import type { Observation } from './observation.ts'
import { type Cut, joinRanges, type SourceRange } from './source-range.ts'
import { addThreads, hasThread } from './thread-filter.ts'

export interface StoredObservation extends Observation {
  /** Its batch: a key of `batches`. */
  batch: string
}

/** An edit, deletion or merge, recorded so that it can be undone. */
export interface ObservationChange {
  removed: { index: number; note: StoredObservation }[]
  /** The ids of added notes. */
  added: string[]
}

/** The notes of a thread or resource, as JSON in its state. */
export interface StoredObservations {
  /** In the order in which they were made. */
  notes: StoredObservation[]
  /**
   * The messages that each batch of notes was made from. A note counts as made from all messages of its
   * batch, not only from those it names.
   */
  batches: Record<string, SourceRange[]>
  /** For batches with more threads than `batches` lists: Bloom filters of the other threads. */
  older?: Record<string, string>
  /** Messages whose notes were dropped and that must be read again. */
  pending: SourceRange[]
  /** The last changes, oldest first. */
  changes: ObservationChange[]
}

/** How far notes have been taken of a thread, as JSON in its state. */
export interface ObservationProgress {
  /** The sequence number of the last message with notes. */
  through: number
  /** The sequence number of the first message that is shown word for word. */
  shownFrom: number
}

/** Keys in the state of a thread or resource. */
export const NOTES = 'observations'
export const PROGRESS = 'observed'

const MAX_CHANGES = 10

/** Maximum number of ranges kept per batch, and of pending ranges: those of the last threads. */
const MAX_RANGES = 100

/** Maximum size of the recorded changes, in characters of JSON. The last change is always kept. */
const MAX_CHANGES_LENGTH = 65_536

export function observationsOf({ state }: StoredState): StoredObservations {
  const found = state[NOTES] as Partial<StoredObservations> | undefined
  return isRecord(found)
    ? (found as unknown as StoredObservations)
    : { notes: [], batches: {}, pending: [], changes: [] }
}

export function progressOf({ state }: StoredState): ObservationProgress {
  return isRecord(state[PROGRESS])
    ? (state[PROGRESS] as unknown as ObservationProgress)
    : { through: 0, shownFrom: 0 }
}

/** Removes notes from a state: for the copy of a thread, whose messages have other sequence numbers. */
export function withoutObservations(state: Record<string, unknown>): Record<string, unknown> {
  const { [NOTES]: _, [PROGRESS]: __, ...others } = state
  return others
}

/**
 * Changes notes and the progress of a thread. Does not create a deleted thread again.
 *
 * @returns Whether something was saved
 */
export async function changeObservations(
  storage: Store,
  stateKey: StateKey,
  change: (
    stored: StoredObservations,
    part: ObservationProgress,
  ) => { stored?: StoredObservations; part?: ObservationProgress } | undefined,
): Promise<boolean> {
  return changeState(storage, stateKey, (found) => {
    if (stateKey.threadId !== undefined && found.version === 0) return undefined
    const changed = change(observationsOf(found), progressOf(found))
    if (!changed) return undefined
    const { stored, part } = changed
    return {
      ...found.state,
      ...(stored && { [NOTES]: applyLimits(stored) }),
      ...(part && { [PROGRESS]: part }),
    }
  })
}

/** Records a change, so that it can be undone. */
export function recordChange(
  stored: StoredObservations,
  { removed, added }: ObservationChange,
): StoredObservations {
  return { ...stored, changes: [...stored.changes, { removed, added }] }
}

/** The state before the last change. `undefined` if no change is recorded. */
export function undoChange(stored: StoredObservations): StoredObservations | undefined {
  const last = stored.changes.at(-1)
  if (!last) return undefined
  const notes = stored.notes.filter(({ id }) => !last.added.includes(id))
  for (const { index, note } of last.removed) notes.splice(Math.min(index, notes.length), 0, note)
  return { ...stored, notes, changes: stored.changes.slice(0, -1) }
}

/**
 * Removes the notes made from messages of a cut, and adds what remains of their messages to `pending`.
 * `undefined` if no note is affected.
 */
export function dropNotes(stored: StoredObservations, cut: Cut): StoredObservations | undefined {
  const touched = new Set(
    Object.keys(stored.batches).filter(
      (batch) =>
        stored.batches[batch]?.some((range) => cut.remainderOf(range)) ||
        hasThread(stored.older?.[batch], cut.threadId),
    ),
  )
  if (touched.size === 0 && !stored.pending.some((range) => cut.remainderOf(range))) return undefined
  const isTouched = ({ batch }: StoredObservation): boolean => touched.has(batch)
  const removedIds = new Set(stored.notes.filter(isTouched).map(({ id }) => id))
  const notes = stored.notes.filter((note) => !isTouched(note))
  const batches = Object.fromEntries(Object.entries(stored.batches).filter(([batch]) => !touched.has(batch)))
  // Ranges of notes that a change replaced are not added: the notes merged from them have the same ranges.
  const kept = new Set(notes.flatMap(({ batch }) => batches[batch] ?? []).map(keyOf))
  const again = [...touched]
    .flatMap((batch) => stored.batches[batch] ?? [])
    .concat(stored.pending)
    .flatMap((range) => cut.remainderOf(range) ?? [range])
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

/**
 * The last sequence number of a thread that notes were made from. After a crash, it can be ahead of
 * `ObservationProgress`.
 */
export function lastNotedSequence({ threadId }: ThreadKey, { batches, pending }: StoredObservations): number {
  let last = 0
  for (const range of [...Object.values(batches).flat(), ...pending]) {
    if (range.threadId === threadId) last = Math.max(last, range.to)
  }
  return last
}

function keyOf({ threadId, from, to }: SourceRange): string {
  return JSON.stringify([threadId, from, to])
}

/** Drops changes that are too old to undo, unused batches, and ranges above the limit. */
export function applyLimits(stored: StoredObservations): StoredObservations {
  const few = { ...stored, ...limitRanges(stored), pending: joinMany(stored.pending).slice(-MAX_RANGES) }
  let kept = dropUnused({ ...few, changes: few.changes.slice(-MAX_CHANGES) })
  const fixed = lengthOf(dropUnused({ ...few, changes: [] }))
  while (kept.changes.length > 1 && lengthOf(kept) - fixed > MAX_CHANGES_LENGTH) {
    kept = dropUnused({ ...kept, changes: kept.changes.slice(1) })
  }
  return kept
}

/** Size of the parts that grow with the recorded changes, in characters of JSON. */
function lengthOf({ batches, older, changes }: StoredObservations): number {
  return JSON.stringify({ batches, older, changes }).length
}

/** Drops batches that no current or restorable note belongs to. */
function dropUnused({ older = {}, batches, ...stored }: StoredObservations): StoredObservations {
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

/** Keeps the ranges of the last threads per batch, and adds the others to a Bloom filter. */
function limitRanges({
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

/** If there are too many ranges, joins them into one per thread. */
function joinMany(ranges: SourceRange[]): SourceRange[] {
  return ranges.length > MAX_RANGES ? joinRanges(ranges, { bridging: true }) : ranges
}
