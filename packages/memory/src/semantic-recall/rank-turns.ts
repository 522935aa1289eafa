import { indexTerms } from '@millrace/core/storage'
import { fitsDate } from './named-date.ts'
import type { Question } from './question.ts'
import { type Candidate, neighbourAt, readTurns, type Turn } from './read-turns.ts'

export interface RankedTurn {
  candidate: Candidate
  score: number
  /**
   * The share of the question's terms that occur in the turn and its neighbors, weighted by their rarity
   * among the candidates: 0 to 1.
   */
  coverage: number
}

/**
 * Weights of the signals, tuned on labeled conversations with leave-one-out cross-validation. Halving or
 * doubling one of them changes little.
 */
const WEIGHTS = {
  /** The share of the question's terms that occur in the turn. */
  coverage: 0.3,
  /** The relevance of the turns before and after it, at distance 1 and 2. */
  neighbour: 0.3,
  secondNeighbour: 0.25,
  /** The relevance of the question that it answers. */
  answer: 0.4,
  /** The relevance of the whole session. */
  session: 0.5,
  /** Embedding similarity, scaled by how well it agrees with the word search. */
  similarity: 4,
  /**
   * Factors: its speaker is named in the question; its role is meant by "I" or "you"; it was said on the date
   * of the question.
   */
  speaker: 2,
  role: 1.5,
  date: 3,
  /** Factor: it ends with a question. */
  asks: 0.8,
} as const

/** The parameters of BM25: see `BM25` of core. */
const SATURATION = 0.9
const LENGTH_NORMALIZATION = 0.4

/**
 * Messages without a term of the question that are assumed to exist: among few candidates, no term is rare.
 */
const ASSUMED_MESSAGES = 20

/** Saturation of a term in a session: at this many turns with the term, it counts half of its maximum. */
const SESSION_SATURATION = 1.2

/**
 * Number of the best hits by words that embedding similarity is checked against, and the lead that chance
 * alone can explain.
 */
const TRUST_HITS = 10
const TRUST_MARGIN = 0.2

/** Best first. Equal scores keep the given order. */
export function rankTurns(question: Question, candidates: readonly Candidate[]): RankedTurn[] {
  const terms = [...question.terms.keys()]
  const turns = readTurns(terms, candidates)
  const { speakers, names } = namedSpeakers(terms, turns)
  const weights = termWeights(question, { turns, names })
  const words = normalized(wordRelevances(turns, weights))
  const isByWordsAlone = candidates.every(
    (candidate) => candidate.isByWords && candidate.similarity === undefined,
  )
  const similarity = isByWordsAlone ? undefined : similaritySignal(turns, words)
  if (similarity?.trust === 0 && !candidates.every(({ isByWords }) => isByWords)) {
    const [byWords, others] = [true, false].map((isByWords) =>
      candidates.filter((candidate) => candidate.isByWords === isByWords),
    ) as [Candidate[], Candidate[]]
    return [
      ...rankTurns(question, byWords),
      ...others.map((candidate) => ({ candidate, score: 0, coverage: 0 })),
    ]
  }
  const relevances = similarity
    ? normalized(words.map((own, index) => own + similarity.trust * (similarity.shares[index] as number)))
    : words
  const sessions = sessionRelevances(turns, weights)
  const coverageOf = coverageBy(turns, weights)
  const relevanceAt = (index: number): number => (index < 0 ? 0 : (relevances[index] as number))

  return turns
    .map((turn, index) => {
      const secondBefore = neighbourAt(turns, index, -2)
      const before = neighbourAt(turns, index, -1)
      const after = neighbourAt(turns, index, 1)
      const secondAfter = neighbourAt(turns, index, 2)
      const isAnswer = before >= 0 && (turns[before] as Turn).hasQuestion
      const score =
        relevanceAt(index) +
        WEIGHTS.neighbour * (relevanceAt(before) + relevanceAt(after)) +
        WEIGHTS.secondNeighbour * (relevanceAt(secondBefore) + relevanceAt(secondAfter)) +
        (isAnswer ? WEIGHTS.answer * relevanceAt(before) : 0) +
        WEIGHTS.session * (sessions[turn.session] as number)
      return {
        turn,
        score: score * factorOf(turn, question, speakers),
        coverage: coverageOf([index, secondBefore, before, after, secondAfter]),
      }
    })
    .sort((left, right) => right.score - left.score || left.turn.rank - right.turn.rank)
    .map(({ turn, score, coverage }) => ({ candidate: turn.candidate, score, coverage }))
}

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

/** The speakers named in the question, and the terms that name them. */
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
 * The weight of each term: its rarity among the candidates. Names of speakers have no weight, because they
 * say who spoke, not what about; unless the question has no other terms.
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
    return weight * Math.log(1 + (hits.length + ASSUMED_MESSAGES - found + 0.5) / (found + 0.5))
  })
}

/**
 * The relevance of each turn on its own: Okapi BM25, with a bonus for turns that contain many of the terms.
 */
function wordRelevances(turns: readonly Turn[], weights: readonly number[]): number[] {
  const total = sum(weights)
  if (total === 0) return turns.map(() => 0)
  const averageLength = sum(turns.map(({ length }) => length)) / turns.length
  const relevances = turns.map(({ frequencies, certainties, length }) => {
    const saturation =
      SATURATION * (1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * length) / averageLength)
    let relevance = 0
    let covered = 0
    for (let term = 0; term < weights.length; term++) {
      const frequency = frequencies[term] as number
      if (frequency === 0) continue
      const counts = (weights[term] as number) * (certainties[term] as number)
      covered += counts
      relevance += (counts * frequency * (SATURATION + 1)) / (frequency + saturation)
    }
    return relevance * (1 + (WEIGHTS.coverage * covered) / total)
  })
  // For a turn that was cut, the store's score is used, scaled to the same range.
  const whole = turns.flatMap(({ isWhole, candidate: { words } }, index) =>
    isWhole && words > 0 ? (relevances[index] as number) / words : [],
  )
  const scale = whole.length === 0 ? 1 : Math.max(...whole)
  return relevances.map((relevance, index) => {
    const { isWhole, candidate } = turns[index] as Turn
    return isWhole ? relevance : Math.max(relevance, scale * candidate.words)
  })
}

/** The embedding similarity of each turn, and how far to trust it. */
function similaritySignal(
  turns: readonly Turn[],
  words: readonly number[],
): { shares: number[]; trust: number } {
  const shares = normalizedSimilarities(turns)
  return { shares, trust: trustOf(shares, words) }
}

/** Normalized embedding similarity of each turn: 0 at the median of all compared turns, 1 for the nearest. */
function normalizedSimilarities(turns: readonly Turn[]): number[] {
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
 * How far to trust embedding similarity, 0 to 1: as far as it agrees with the best hits by words. An
 * embedding model that does not know a language or topic then does no harm.
 */
function trustOf(similarities: readonly number[], words: readonly number[]): number {
  const best = words
    .map((relevance, index) => ({ relevance, index }))
    .filter(({ relevance }) => relevance > 0)
    .sort((left, right) => right.relevance - left.relevance)
    .slice(0, TRUST_HITS)
  if (best.length === 0) return 1
  const among = sum(best.map(({ index }) => similarities[index] as number)) / best.length
  const all = sum(similarities) / similarities.length
  return Math.min(1, Math.max(0, (among - all - TRUST_MARGIN) * WEIGHTS.similarity))
}

/**
 * The relevance of each session, 0 to 1, by session number: which terms occur in it, and in how many of its
 * turns.
 */
function sessionRelevances(turns: readonly Turn[], weights: readonly number[]): number[] {
  const found: number[][] = []
  for (const { session, certainties } of turns) {
    found[session] ??= weights.map(() => 0)
    const counts = found[session]
    for (let term = 0; term < weights.length; term++) {
      if (certainties[term] === 1) (counts[term] as number)++
    }
  }
  return normalized(
    found.map((counts) =>
      sum(counts.map((count, term) => ((weights[term] as number) * count) / (count + SESSION_SATURATION))),
    ),
  )
}

/**
 * The coverage of several turns together. A speaker's name, which has no weight, counts as a covered term.
 */
function coverageBy(
  turns: readonly Turn[],
  weights: readonly number[],
): (indexes: readonly number[]) => number {
  const total = sum(weights)
  const telling = weights.filter((weight) => weight > 0).length
  if (telling === 0) return () => 0
  const names = ((weights.length - telling) * total) / telling
  return (indexes) => {
    let covered = names
    for (let term = 0; term < weights.length; term++) {
      let most = 0
      for (const index of indexes) {
        if (index >= 0) most = Math.max(most, (turns[index] as Turn).certainties[term] as number)
      }
      covered += (weights[term] as number) * most
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
