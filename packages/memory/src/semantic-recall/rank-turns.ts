import { indexTerms } from '@millrace/core/storage'
import { fitsDate } from './named-date.ts'
import type { Question } from './question.ts'
import { type Candidate, neighbourAt, readTurns, type Turn } from './read-turns.ts'

export interface RankedTurn {
  candidate: Candidate
  score: number
  /**
   * The share of the question's words that the turn and its neighbours have, weighted by how rare they are among the
   * candidates: 0 to 1.
   */
  coverage: number
}

/** What each signal adds. Found on labelled conversations, with one left out at a time; half or twice as much of any changes little. */
const WEIGHTS = {
  /** The share of the question's words that are in the turn. */
  coverage: 0.3,
  /** What the turns right before and after it say, and those beside them. */
  neighbour: 0.3,
  secondNeighbour: 0.25,
  /** What the question before it says. */
  answer: 0.4,
  /** What the whole session says. */
  session: 0.5,
  /** What is near in meaning, as much as that agrees with the words. */
  meaning: 4,
  /** Factors: who said it is named in the question; is meant by "I" or "you"; it was said on the day that is named. */
  speaker: 2,
  role: 1.5,
  date: 3,
  /** Factor: it asks and does not tell. */
  asks: 0.8,
} as const

/** Of BM25: see `BM25` of core. */
const SATURATION = 0.9
const LENGTH = 0.4

/** Messages without a word of the question that are taken to be there: among few, nothing is rare. */
const OTHERS = 20

/** So many turns of a session that have a word say half of what any number of them says. */
const SESSION_SATURATION = 1.2

/** By how many of the best hits by words meaning is judged, and by how much they may be nearer by chance. */
const AGREEING = 10
const CHANCE = 0.2

/** Best first; of equal ones, in the order given. */
export function rankTurns(question: Question, candidates: readonly Candidate[]): RankedTurn[] {
  const terms = [...question.terms.keys()]
  const turns = readTurns(terms, candidates)
  const { speakers, names } = namedSpeakers(terms, turns)
  const weights = termWeights(question, { turns, names })
  const words = normalized(wordRelevances(turns, weights))
  const meanings = meaningsOf(turns)
  const trust = trustOf(meanings, words)
  if (trust === 0 && !candidates.every(({ isByWords }) => isByWords)) {
    const [byWords, others] = [true, false].map((isByWords) =>
      candidates.filter((candidate) => candidate.isByWords === isByWords),
    ) as [Candidate[], Candidate[]]
    return [
      ...rankTurns(question, byWords),
      ...others.map((candidate) => ({ candidate, score: 0, coverage: 0 })),
    ]
  }
  const relevances = normalized(words.map((own, index) => own + trust * (meanings[index] as number)))
  const sessions = sessionRelevances(turns, weights)

  const coverageOf = coverageBy(turns, weights)

  return turns
    .map((turn, index) => {
      const near = OFFSETS.map((offset) => neighbourAt(turns, index, offset))
      const [secondBefore, before, after, secondAfter] = near.map((place) => relevances[place] ?? 0) as Four
      const isAnswer = turns[near[1] as number]?.hasQuestion ?? false
      const score =
        (relevances[index] as number) +
        WEIGHTS.neighbour * (before + after) +
        WEIGHTS.secondNeighbour * (secondBefore + secondAfter) +
        (isAnswer ? WEIGHTS.answer * before : 0) +
        WEIGHTS.session * (sessions.get(turn.session) ?? 0)
      return {
        turn,
        score: score * factorOf(turn, question, speakers),
        coverage: coverageOf([index, ...near]),
      }
    })
    .sort((left, right) => right.score - left.score || left.turn.rank - right.turn.rank)
    .map(({ turn, score, coverage }) => ({ candidate: turn.candidate, score, coverage }))
}

const OFFSETS = [-2, -1, 1, 2]
type Four = [number, number, number, number]

function factorOf(turn: Turn, question: Question, speakers: ReadonlySet<string>): number {
  const { role, createdAt } = turn.candidate.message
  const isMeant = turn.speaker !== undefined && speakers.has(turn.speaker)
  const isMeantAsRole = speakers.size === 0 && question.role === role
  return (
    (isMeant ? WEIGHTS.speaker : 1) *
    (isMeantAsRole ? WEIGHTS.role : 1) *
    (question.date ? 1 + (WEIGHTS.date - 1) * fitsDate(createdAt, question.date) : 1) *
    (turn.endsWithQuestion ? WEIGHTS.asks : 1)
  )
}

/** Who of the speakers is named in the question, and the terms that name them. */
function namedSpeakers(
  terms: readonly string[],
  turns: readonly Turn[],
): { speakers: Set<string>; names: Set<string> } {
  const speakers = new Set<string>()
  const names = new Set<string>()
  for (const speaker of new Set(turns.map((turn) => turn.speaker))) {
    if (speaker === undefined) continue
    for (const term of indexTerms(speaker)) {
      if (!terms.includes(term)) continue
      speakers.add(speaker)
      names.add(term)
    }
  }
  return { speakers, names }
}

/**
 * How much each term of the question says: how rare it is among the candidates. Names of speakers say who is meant, not
 * what, unless there are no other terms.
 */
function termWeights(
  { terms }: Question,
  { turns, names }: { turns: readonly Turn[]; names: ReadonlySet<string> },
): number[] {
  const isOnlyNames = names.size === terms.size
  const hits = turns.filter(({ candidate }) => candidate.words > 0)
  return [...terms].map(([term, weight], index) => {
    if (names.has(term) && !isOnlyNames) return 0
    const found = hits.filter(({ certainties }) => certainties[index] === 1).length
    return weight * Math.log(1 + (hits.length + OTHERS - found + 0.5) / (found + 0.5))
  })
}

/** What each turn by itself says of the question: Okapi BM25, with more for turns that have many of its terms. */
function wordRelevances(turns: readonly Turn[], weights: readonly number[]): number[] {
  const total = sum(weights)
  if (total === 0) return turns.map(() => 0)
  const averageLength = sum(turns.map(({ length }) => length)) / turns.length
  const relevances = turns.map(({ frequencies, certainties, length }) => {
    const saturation = SATURATION * (1 - LENGTH + (LENGTH * length) / averageLength)
    let relevance = 0
    let covered = 0
    for (const [term, weight] of weights.entries()) {
      const frequency = frequencies[term] as number
      if (frequency === 0) continue
      const counts = weight * (certainties[term] as number)
      covered += counts
      relevance += (counts * frequency * (SATURATION + 1)) / (frequency + saturation)
    }
    return relevance * (1 + (WEIGHTS.coverage * covered) / total)
  })
  // What was not read to its end is worth what the store says of it, in proportion.
  const whole = turns.flatMap(({ isWhole, candidate: { words } }, index) =>
    isWhole && words > 0 ? (relevances[index] as number) / words : [],
  )
  const scale = whole.length === 0 ? 1 : Math.max(...whole)
  return relevances.map((relevance, index) => {
    const { isWhole, candidate } = turns[index] as Turn
    return isWhole ? relevance : Math.max(relevance, scale * candidate.words)
  })
}

/** How near in meaning each turn is, from 0 for those in the middle of all that were compared to 1 for the nearest. */
function meaningsOf(turns: readonly Turn[]): number[] {
  const similarities = turns
    .flatMap(({ candidate }) => candidate.similarity ?? [])
    .sort((left, right) => left - right)
  const middle = similarities[similarities.length >> 1] ?? 0
  const range = (similarities.at(-1) ?? 0) - middle
  return turns.map(({ candidate: { similarity = middle } }) =>
    range > 0 ? Math.max(0, (similarity - middle) / range) : 0,
  )
}

/**
 * How much meaning counts, 0 to 1: as much as it agrees with words on what words find best. So an embedding model that
 * knows little of a text, or of its language, does no harm.
 */
function trustOf(meanings: readonly number[], words: readonly number[]): number {
  const best = words
    .map((relevance, index) => ({ relevance, index }))
    .filter(({ relevance }) => relevance > 0)
    .sort((left, right) => right.relevance - left.relevance)
    .slice(0, AGREEING)
  if (best.length === 0) return 1
  const among = sum(best.map(({ index }) => meanings[index] as number)) / best.length
  const all = sum(meanings) / meanings.length
  return Math.min(1, Math.max(0, (among - all - CHANCE) * WEIGHTS.meaning))
}

/** What each session says of the question, 0 to 1: which of its terms occur, in how many turns. */
function sessionRelevances(turns: readonly Turn[], weights: readonly number[]): Map<number, number> {
  const sessions = [...Map.groupBy(turns, ({ session }) => session)]
  const relevances = sessions.map(([, own]) =>
    sum(
      weights.map((weight, term) => {
        const found = own.filter(({ certainties }) => certainties[term] === 1).length
        return (weight * found) / (found + SESSION_SATURATION)
      }),
    ),
  )
  const shares = normalized(relevances)
  return new Map(sessions.map(([session], index) => [session, shares[index] as number]))
}

/** The coverage of some turns together. A name of a speaker, which has no weight, counts like any other term: as covered. */
function coverageBy(
  turns: readonly Turn[],
  weights: readonly number[],
): (places: readonly number[]) => number {
  const total = sum(weights)
  const telling = weights.filter((weight) => weight > 0).length
  if (telling === 0) return () => 0
  const names = ((weights.length - telling) * total) / telling
  return (places) => {
    let covered = names
    for (const [term, weight] of weights.entries()) {
      let most = 0
      for (const place of places) most = Math.max(most, turns[place]?.certainties[term] ?? 0)
      covered += weight * most
    }
    return covered / (total + names)
  }
}

function normalized(values: readonly number[]): number[] {
  const most = Math.max(...values, 0)
  return values.map((value) => (most === 0 ? 0 : value / most))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
