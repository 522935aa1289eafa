import { isRecord, MillraceError } from '@millrace/core'
import { isDay, lineOf, type NewObservation, type Observation, toLine } from './observation.ts'

/** What notes are made with. */
export interface NoteSettings {
  countTokens: (text: string) => number | Promise<number>
  /** Of all notes. */
  maxTokens: number
}

/** How many tokens a maker of notes may fill: what is left is for those to come. */
export function tokensAtOnce({ maxTokens }: NoteSettings): number {
  return Math.max(1, Math.floor(maxTokens / 2))
}

/** How many of the notes fit into so many tokens, from the first on. */
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

/** What a function of the user's has made, with each text as one line. */
export function checkNotes(made: unknown, name: 'observe' | 'reflect'): NewObservation[] {
  const isNote = (note: unknown): note is NewObservation =>
    isRecord(note) &&
    typeof note.text === 'string' &&
    (note.date === undefined || (typeof note.date === 'string' && isDay(note.date))) &&
    (note.messageIds === undefined || Array.isArray(note.messageIds))
  if (!Array.isArray(made) || !made.every(isNote)) {
    throw new MillraceError(
      'RUN_FAILED',
      `observations.${name} gave no list of notes. Return a list of { text, date, messageIds }, with a date such as '2026-05-08' or none.`,
    )
  }
  return made.map((note) => ({ ...note, text: toLine(note.text) })).filter(({ text }) => text !== '')
}
