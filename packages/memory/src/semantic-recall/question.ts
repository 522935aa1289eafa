import { queryTerms } from '@millrace/core/storage'
import { type NamedDate, namedDate } from './named-date.ts'

/** What a text asks memory for. */
export interface Question {
  /** The terms that tell what it is about, with how much each counts: 1 or less. */
  terms: ReadonlyMap<string, number>
  /** Who is meant by "I" or "you", if it is one of them. */
  role: 'user' | 'assistant' | undefined
  /** The date it names. */
  date: NamedDate | undefined
}

export function readQuestion(text: string): Question {
  return {
    terms: new Map(queryTerms(text).map((term) => [term, 1])),
    role: undefined,
    date: namedDate(text),
  }
}
