import { indexTerms, queryTerms } from '@millrace/core/storage'
import { conversationWords } from './conversation-words.ts'
import { isDateWord, type NamedDate, namedDate } from './named-date.ts'

/** What a text asks memory for. */
export interface Question {
  /** What the store is asked for. */
  query: string
  /** The terms that tell what it is about, with how much each counts: 1 or less. */
  terms: ReadonlyMap<string, number>
  /** Who is meant by "I" or "you", if it is one of them. */
  role: 'user' | 'assistant' | undefined
  /** The date it names. */
  date: NamedDate | undefined
}

/** A text of fewer telling terms that points back is about what was said before it. */
const FEW_TERMS = 2

/** What a term of the turns before counts, of what one of the text itself counts. */
const FROM_BEFORE = 0.5

/** Characters in which a date is looked for. */
const MAX_DATED = 2_000

/** Characters of each turn before. */
const MAX_BEFORE = 400

/** `before`: the turns right before the text, which it may point back to. */
export function readQuestion(text: string, before: readonly string[] = []): Question {
  const { role, pointsBack, common } = conversationWords(text)
  const dated = text.slice(0, MAX_DATED)
  const date = namedDate(dated)
  const own = tellingTerms(text, date ? [...common, ...dateWordsOf(dated)] : common)
  const question = { query: text, terms: new Map(own.map((term) => [term, 1])), role, date }
  if (own.length > FEW_TERMS || !(pointsBack || own.length === 0)) return question
  for (const turn of before.map((whole) => whole.slice(0, MAX_BEFORE))) {
    question.query += `\n${turn}`
    for (const term of tellingTerms(turn, conversationWords(turn).common)) {
      if (!question.terms.has(term)) question.terms.set(term, own.length === 0 ? 1 : FROM_BEFORE)
    }
  }
  return question
}

function tellingTerms(text: string, leftOut: Iterable<string>): string[] {
  const terms = new Set([...leftOut].flatMap((word) => indexTerms(word)))
  return queryTerms(text).filter((term) => !terms.has(term))
}

function dateWordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter(isDateWord)
}
