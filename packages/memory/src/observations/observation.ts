/** A dated note on what was said. */
export interface Observation {
  id: string
  /** The day it is about, such as `2026-05-08`. */
  date: string
  text: string
  /** The messages that say it, as far as the note-taker named them: eight at most. */
  sources: readonly ObservationSource[]
}

export interface ObservationSource {
  threadId: string
  messageIds: readonly string[]
}

/** A note as one is made, by a model or by a function. */
export interface NewObservation {
  text: string
  /** Such as `2026-05-08`. Default: the day of the last message it may come from. */
  date?: string | undefined
  /** The messages that say it. Default: all it may come from. */
  messageIds?: readonly string[] | undefined
}

/** A note names no more messages than this, so that notes stay small however often they are merged. */
const MAX_MESSAGE_IDS = 8

/** Of two days written as `2026-05-08`, and of nothing else. */
const DAY = /^\d{4}-\d{2}-\d{2}$/

export function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text))
}

/** A note as the model is shown it: one line, whatever its text. */
export function lineOf({ date, text }: Pick<Observation, 'date' | 'text'>): string {
  return `- ${date}: ${text}`
}

/** A text as one line. */
export function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Each thread once, and of all their messages the first ones. */
export function mergeSources(sources: readonly ObservationSource[]): ObservationSource[] {
  const byThread = new Map<string, string[]>()
  let left = MAX_MESSAGE_IDS
  for (const { threadId, messageIds } of sources) {
    const ids = byThread.get(threadId) ?? []
    for (const id of messageIds) {
      if (left === 0) break
      if (ids.includes(id)) continue
      ids.push(id)
      left--
    }
    if (ids.length > 0) byThread.set(threadId, ids)
  }
  return [...byThread].map(([threadId, messageIds]) => ({ threadId, messageIds }))
}
