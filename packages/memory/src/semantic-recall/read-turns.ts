import { type StoredMessage, textOfParts } from '@millrace/core'
import { indexTermsBeginning } from '@millrace/core/storage'
import { speakerOf } from './speaker.ts'

/** A message that may be recalled, or a neighbor of one. */
export interface Candidate extends StoredMessage {
  /** The store's score of the word search; 0 if it did not find the message. */
  words: number
  /** Found by the word search, or a neighbor of such a message. */
  isByWords: boolean
  /** Cosine similarity to the question; `undefined` if the vector search did not find the message. */
  similarity?: number | undefined
}

/** A candidate, prepared for ranking. */
export interface Turn {
  candidate: Candidate
  /** Its rank among the candidates. */
  rank: number
  /** How often each term of the question occurs. */
  frequencies: readonly number[]
  /** For each term: 1 if it occurs itself, less if only a word with the same prefix does, 0 otherwise. */
  certainties: readonly number[]
  /** Length in terms. */
  length: number
  /** The text was not cut. */
  isWhole: boolean
  speaker: string | undefined
  hasQuestion: boolean
  endsWithQuestion: boolean
  /** Session number: turns of one thread without a long pause between them are one session. */
  session: number
}

/**
 * Limits, in characters, for reading one message, and all messages together: reading all of it takes about 1
 * ms.
 */
const MAX_CHARACTERS = 600
const MAX_CHARACTERS_IN_ALL = 16_000

/** A pause of this many milliseconds ends a session. */
const SESSION_PAUSE = 4 * 3_600_000

/**
 * The certainty of a word with the same prefix, compared with 1 for the same word. It stands in for stemming,
 * which few languages have here.
 */
const PREFIX_CERTAINTY = 0.4
const MIN_SHARED_PREFIX = 4
const MIN_SHARED_SHARE = 0.6

/** Sorted by thread and sequence, so that neighbors are adjacent. */
export function readTurns(terms: readonly string[], candidates: readonly Candidate[]): Turn[] {
  const matches = new Map<string, TermMatch>()
  const beginnings = new Set(terms.map((term) => term[0] as string))
  let left = MAX_CHARACTERS_IN_ALL
  const turns = candidates.map((candidate, rank): Turn => {
    const whole = textOfParts(candidate.message.content.parts)
    const text = whole.slice(0, Math.min(MAX_CHARACTERS, left))
    left -= text.length
    const words = indexTermsBeginning(text, beginnings)
    const { frequencies, certainties } = occurrences(terms, { words, matches })
    const hasQuestion = QUESTION.test(text)
    return {
      candidate,
      rank,
      frequencies,
      certainties,
      length: words.length,
      isWhole: text.length === whole.length,
      speaker: speakerOf(candidate.message, text),
      hasQuestion,
      endsWithQuestion: hasQuestion && ENDS_WITH_QUESTION.test(text),
      session: 0,
    }
  })
  return inSessions(turns)
}

/**
 * The index of the turn at this distance (negative: before). -1 if it is not a candidate of the same session.
 */
export function neighbourAt(turns: readonly Turn[], index: number, offset: number): number {
  const turn = turns[index] as Turn
  const step = Math.sign(offset)
  for (let at = index + step; Math.abs(at - index) <= Math.abs(offset); at += step) {
    const other = turns[at]
    if (other?.session !== turn.session) return -1
    if (other.candidate.sequence === turn.candidate.sequence + offset) return at
  }
  return -1
}

/** Question marks of all scripts. */
const QUESTION = /[?？؟՞፧⁇⁈]/u
const ENDS_WITH_QUESTION = /[?？؟՞፧⁇⁈][\s\p{P}\p{S}]*$/u

/** The term of the question that a word matches, and with which certainty. */
type TermMatch = readonly [term: number, certainty: number]

const NO_MATCH: TermMatch = [-1, 0]

function occurrences(
  terms: readonly string[],
  { words, matches }: { words: readonly string[]; matches: Map<string, TermMatch> },
): Pick<Turn, 'frequencies' | 'certainties'> {
  const frequencies = terms.map(() => 0)
  const certainties = terms.map(() => 0)
  for (const word of words) {
    if (word === '') continue
    let match = matches.get(word)
    if (match === undefined) {
      match = matchTerm(word, terms)
      matches.set(word, match)
    }
    if (match === NO_MATCH) continue
    const [term, certainty] = match
    const known = certainties[term] as number
    if (certainty < known) continue
    frequencies[term] = certainty > known ? 1 : (frequencies[term] as number) + 1
    certainties[term] = certainty
  }
  return { frequencies, certainties }
}

function matchTerm(word: string, terms: readonly string[]): TermMatch {
  const exact = terms.indexOf(word)
  if (exact >= 0) return [exact, 1]
  const related = terms.findIndex((term) => hasSharedPrefix(word, term))
  return related < 0 ? NO_MATCH : [related, PREFIX_CERTAINTY]
}

function hasSharedPrefix(left: string, right: string): boolean {
  if (left[0] !== right[0]) return false
  const longer = Math.max(left.length, right.length)
  let shared = 1
  while (shared < longer && left[shared] === right[shared]) shared++
  return shared >= MIN_SHARED_PREFIX && shared >= MIN_SHARED_SHARE * longer
}

/** Sorts the turns, and numbers their sessions from 0. */
function inSessions(turns: Turn[]): Turn[] {
  const threads = new Map<string | undefined, number>()
  for (const { candidate } of turns) {
    if (!threads.has(candidate.message.threadId)) threads.set(candidate.message.threadId, threads.size)
  }
  const thread = ({ candidate }: Turn): number => threads.get(candidate.message.threadId) as number
  turns.sort(
    (left, right) => thread(left) - thread(right) || left.candidate.sequence - right.candidate.sequence,
  )
  let session = 0
  let previous: Turn | undefined
  for (const turn of turns) {
    const isSameThread = previous?.candidate.message.threadId === turn.candidate.message.threadId
    if (previous && (!isSameThread || pause(previous, turn) > SESSION_PAUSE)) session++
    turn.session = session
    previous = turn
  }
  return turns
}

function pause(left: Turn, right: Turn): number {
  return Math.abs(right.candidate.message.createdAt.getTime() - left.candidate.message.createdAt.getTime())
}
