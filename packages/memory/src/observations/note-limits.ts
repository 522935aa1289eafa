import { isRecord, MillraceError } from '@millrace/core'
import { isDay, lineOf, type NewObservation, type Observation, toLine } from './observation.ts'

/** Limits for notes. */
export interface NoteSettings {
  countTokens: (text: string) => number | Promise<number>
  /** Token limit for all notes together. */
  maxTokens: number
}

/** The token limit for one call of `observe` or `reflect`. The rest is reserved for later notes. */
export function tokensPerCall({ maxTokens }: NoteSettings): number {
  return Math.max(1, Math.floor(maxTokens / 2))
}

/** How many notes, counted from the first, fit into the limit. */
export async function countFitting(
  notes: readonly Pick<Observation, 'date' | 'text'>[],
  { countTokens, maxTokens }: NoteSettings,
): Promise<number> {
  let tokens = 0
  for (const [index, note] of notes.entries()) {
    tokens += await countTokens(lineOf(note))
    if (tokens > maxTokens) return index
  }
  return notes.length
}

/** Validates what `observe` or `reflect` returned. Each text becomes one line. */
export function checkNotes(made: unknown, name: 'observe' | 'reflect'): NewObservation[] {
  const isNote = (note: unknown): note is NewObservation =>
    isRecord(note) &&
    typeof note.text === 'string' &&
    (note.date === undefined || (typeof note.date === 'string' && isDay(note.date))) &&
    (note.messageIds === undefined || Array.isArray(note.messageIds))
  if (!Array.isArray(made) || !made.every(isNote)) {
    throw new MillraceError(
      'RUN_FAILED',
      `observations.${name} returned an invalid value. Return a list of { text, date?, messageIds? }, with dates such as '2026-05-08'.`,
    )
  }
  return made.map((note) => ({ ...note, text: toLine(note.text) })).filter(({ text }) => text !== '')
}
