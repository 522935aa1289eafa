import { type StoredMessage, textOfParts } from '@millrace/core'
import { indexTermsBeginning } from '@millrace/core/storage'
import { speakerOf } from './speaker.ts'

/** A message that may be recalled, or stands beside one that may. */
export interface Candidate extends StoredMessage {
  /** The store's score by words; 0 where it was not found by them. */
  words: number
  /** Found by words, or beside what was. */
  isByWords: boolean
  /** Cosine similarity with the question; none where it was not found by meaning. */
  similarity?: number | undefined
}

/** A candidate as ranking sees it. */
export interface Turn {
  candidate: Candidate
  /** Among the candidates. */
  rank: number
  /** How often each of the question's terms occurs, in their order. */
  frequencies: readonly number[]
  /** 1 where the term itself occurs, less where a word of the same beginning does, 0 where none does. */
  certainties: readonly number[]
  /** In terms. */
  length: number
  /** The text was read to its end. */
  isWhole: boolean
  speaker: string | undefined
  hasQuestion: boolean
  endsWithQuestion: boolean
  /** Turns of one thread without a long pause between them have the same number. */
  session: number
}

/** Of a longer message only the beginning is read, and of many long ones the first: all of it takes about 1 ms. */
const MAX_CHARACTERS = 600
const MAX_CHARACTERS_IN_ALL = 16_000

/** Hours without a word end a session. */
const SESSION_PAUSE = 4 * 3_600_000

/** What a word of the same beginning counts, of what the word itself counts: endings differ, and few languages are stemmed. */
const RELATED = 0.4
const SHARED_BEGINNING = 4
const SHARED_PART = 0.6

/** By thread, and in it in order, so that neighbours are neighbours. */
export function readTurns(terms: readonly string[], candidates: readonly Candidate[]): Turn[] {
  const places = new Map<string, Place>()
  const beginnings = new Set(terms.map((term) => term[0] as string))
  let left = MAX_CHARACTERS_IN_ALL
  const turns = candidates.map((candidate, rank): Turn => {
    const whole = textOfParts(candidate.message.content.parts)
    const text = whole.slice(0, Math.min(MAX_CHARACTERS, left))
    left -= text.length
    const words = indexTermsBeginning(text, beginnings)
    const { frequencies, certainties } = occurrences(terms, { words, places })
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

/** Where the turn so many places after one stands, or before it if negative; -1 if it is no candidate of that session. */
export function neighbourAt(turns: readonly Turn[], index: number, offset: number): number {
  const turn = turns[index] as Turn
  const step = Math.sign(offset)
  for (let place = index + step; Math.abs(place - index) <= Math.abs(offset); place += step) {
    const other = turns[place]
    if (other?.session !== turn.session) return -1
    if (other.candidate.sequence === turn.candidate.sequence + offset) return place
  }
  return -1
}

/** Question marks of the scripts of the world. */
const QUESTION = /[?？؟՞፧⁇⁈]/u
const ENDS_WITH_QUESTION = /[?？؟՞፧⁇⁈][\s\p{P}\p{S}]*$/u

/** The question's term that a word stands for, and how surely. */
type Place = readonly [term: number, certainty: number]

const NOWHERE: Place = [-1, 0]

function occurrences(
  terms: readonly string[],
  { words, places }: { words: readonly string[]; places: Map<string, Place> },
): Pick<Turn, 'frequencies' | 'certainties'> {
  const frequencies = terms.map(() => 0)
  const certainties = terms.map(() => 0)
  for (const word of words) {
    if (word === '') continue
    let place = places.get(word)
    if (place === undefined) {
      place = placeOf(word, terms)
      places.set(word, place)
    }
    if (place === NOWHERE) continue
    const [term, certainty] = place
    const known = certainties[term] as number
    if (certainty < known) continue
    frequencies[term] = certainty > known ? 1 : (frequencies[term] as number) + 1
    certainties[term] = certainty
  }
  return { frequencies, certainties }
}

function placeOf(word: string, terms: readonly string[]): Place {
  const exact = terms.indexOf(word)
  if (exact >= 0) return [exact, 1]
  const related = terms.findIndex((term) => isRelated(word, term))
  return related < 0 ? NOWHERE : [related, RELATED]
}

function isRelated(left: string, right: string): boolean {
  if (left[0] !== right[0]) return false
  const longer = Math.max(left.length, right.length)
  let shared = 1
  while (shared < longer && left[shared] === right[shared]) shared++
  return shared >= SHARED_BEGINNING && shared >= SHARED_PART * longer
}

/** Sorts the turns, and numbers their sessions from 0 on. */
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
