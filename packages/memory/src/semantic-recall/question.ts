import { indexTerms, queryTerms } from '@millrace/core/storage'
import { conversationWords } from './conversation-words.ts'
import { isDateWord, type NamedDate, namedDate } from './named-date.ts'

/** A parsed query. */
export interface Question {
  /** The query for the store. */
  query: string
  /** The terms that carry meaning, each with a weight up to 1. */
  terms: ReadonlyMap<string, number>
  /** Who "I" or "you" refers to, if the text contains one of them. */
  role: 'user' | 'assistant' | undefined
  /** The date that the text mentions. */
  date: NamedDate | undefined
}

/** A text with at most this many terms that points back is expanded by the turns before it. */
const FEW_TERMS = 2

/** The weight of a term from an earlier turn. A term of the text itself has weight 1. */
const EXPANSION_WEIGHT = 0.5

/** Number of characters that are searched for a date. */
const MAX_DATE_SEARCH = 2_000

/** Number of characters read of each earlier turn. */
const MAX_TURN_CHARACTERS = 400

/** `before`: the turns right before the text, which it may refer to. */
export function readQuestion(text: string, before: readonly string[] = []): Question {
  const { role, pointsBack, common } = conversationWords(text)
  const dated = text.slice(0, MAX_DATE_SEARCH)
  const date = namedDate(dated)
  const own = contentTerms(text, date ? [...common, ...dateWordsIn(dated)] : common)
  const question = { query: text, terms: new Map(own.map((term) => [term, 1])), role, date }
  if (own.length > FEW_TERMS || !(pointsBack || own.length === 0)) return question
  for (const turn of before.map((whole) => whole.slice(0, MAX_TURN_CHARACTERS))) {
    question.query += `\n${turn}`
    for (const term of contentTerms(turn, conversationWords(turn).common)) {
      if (!question.terms.has(term)) question.terms.set(term, own.length === 0 ? 1 : EXPANSION_WEIGHT)
    }
  }
  return question
}

function contentTerms(text: string, leftOut: Iterable<string>): string[] {
  const terms = new Set([...leftOut].flatMap((word) => indexTerms(word)))
  return queryTerms(text).filter((term) => !terms.has(term))
}

function dateWordsIn(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter(isDateWord)
}
