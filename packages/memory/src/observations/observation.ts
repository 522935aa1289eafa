/** A dated note about what was said. */
export interface Observation {
  id: string
  /** The day it is about, such as `2026-05-08`. */
  date: string
  text: string
  /** The messages that the note comes from, as the note-taker named them: at most eight. */
  sources: readonly ObservationSource[]
}

export interface ObservationSource {
  threadId: string
  messageIds: readonly string[]
}

/** A new note, made by a model or a function. */
export interface NewObservation {
  text: string
  /** The day it is about, such as `2026-05-08`. Default: the day of the last message in the batch. */
  date?: string | undefined
  /** The messages that the note comes from. Default: all messages of the batch. */
  messageIds?: readonly string[] | undefined
}

/** Maximum number of source messages of a note, so that notes stay small when they are merged repeatedly. */
const MAX_MESSAGE_IDS = 8

/** Matches only a date such as `2026-05-08`. */
const DAY = /^\d{4}-\d{2}-\d{2}$/

export function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text))
}

/** Formats a note for the model, on one line. */
export function lineOf({ date, text }: Pick<Observation, 'date' | 'text'>): string {
  return `- ${date}: ${text}`
}

/** Replaces line breaks in a text. */
export function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** One entry per thread. Keeps the first messages if there are too many. */
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
