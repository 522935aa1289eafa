import { isRecord } from '@millrace/core'
import type { SourceRange } from './source-range.ts'
import { NOTES, observationsOf, PROGRESS, progressOf } from './stored-observations.ts'

type State = Record<string, unknown>

/**
 * Maps old to new sequence numbers of messages, by thread. A sequence number without a message maps to that
 * of the last message before it.
 */
type SequenceMap = ReadonlyMap<string, ReadonlyMap<number, number>>

/** The sequence numbers of a thread that the notes of the thread or its resource refer to. */
export function sequencesIn(
  thread: { id: string; state: State },
  resource: { state: State } | undefined,
): number[] {
  const ranges = [thread.state, resource?.state ?? {}].flatMap(rangesIn)
  const own = ranges.filter(({ threadId }) => threadId === thread.id).flatMap(({ from, to }) => [from, to])
  const { through, shownFrom } = progressOf({ state: thread.state, version: 0 })
  return [...new Set([...own, through, shownFrom])].filter((place) => place > 0)
}

/** A state whose notes refer to the new sequence numbers. */
export function remapNotes(state: State, moved: SequenceMap): State {
  if (!isRecord(state[NOTES])) return state
  const stored = observationsOf({ state, version: 0 })
  const move = (ranges: readonly SourceRange[]): SourceRange[] =>
    ranges.flatMap((range) => {
      const places = moved.get(range.threadId)
      const [from, to] = [places?.get(range.from), places?.get(range.to)]
      return from === undefined || to === undefined ? [] : [{ ...range, from, to }]
    })
  const batches = Object.fromEntries(
    Object.entries(stored.batches).map(([batch, ranges]) => [batch, move(ranges)]),
  )
  return { ...state, [NOTES]: { ...stored, batches, pending: move(stored.pending) } }
}

/** Translates `ObservationProgress` in the state of a thread to new sequence numbers. */
export function remapProgress(state: State, places: ReadonlyMap<number, number>): State {
  if (!isRecord(state[PROGRESS])) return state
  const { through, shownFrom } = progressOf({ state, version: 0 })
  const now = places.get(through) ?? 0
  const shown = shownFrom > through ? now + 1 : (places.get(shownFrom) ?? 0)
  return { ...state, [PROGRESS]: { through: now, shownFrom: shown } }
}

function rangesIn(state: State): SourceRange[] {
  const { batches, pending } = observationsOf({ state, version: 0 })
  return [...Object.values(batches).flat(), ...pending]
}
