import type { MessageFilter, MessageHit, Store, StoredMessage, VectorStore } from '@millrace/core'
import { isSmallTalk } from './conversation-words.ts'
import type { Embedder } from './embedder.ts'
import { type Question, readQuestion } from './question.ts'
import { rankTurns } from './rank-turns.ts'
import type { Candidate } from './read-turns.ts'
import { messageKeyOf, passesFilter } from './recall-scope.ts'
import { recallVectors } from './recall-vectors.ts'
import { keyOf, Surroundings } from './surroundings.ts'

export { withoutNearDuplicates } from './near-duplicates.ts'

export interface SearchMemoryOptions {
  storage: Store
  embedder: Embedder | undefined
  /** Default: the storage. */
  vectors?: VectorStore | undefined
  filter: MessageFilter
  query: string
  /** The turns right before the query, which it may refer to. */
  before?: readonly string[] | undefined
  /** The minimum cosine similarity of a hit. Only with an embedding model. */
  threshold?: number | undefined
  /** The minimum coverage of a hit. With 0, small talk also recalls messages. Default: 0.25. */
  minCoverage?: number | undefined
  /** How many of the hits the caller may discard; the search returns that many more. Default: 0. */
  unwanted?: number | undefined
  abortSignal?: AbortSignal
}

export interface MemoryHits {
  /** Best first. */
  hits: StoredMessage[]
  /** The error of the embedding model. `hits` then has the results of the word search only. */
  failure: unknown
  /** The neighbors of the best hits. */
  surroundings: Surroundings | undefined
}

/** The share of a question's terms, weighted by rarity, that a hit and its neighbors must contain. */
const MIN_COVERAGE = 0.25

/** Number of hits that each search contributes to the ranking. */
const CANDIDATES = 100

/** Neighbors of this many hits are ranked too: they may contain the answer without a term of the question. */
const WITH_NEIGHBOURS = 20
const NEIGHBOURS = 2

/**
 * Searches by words and, with an embedding model, by vectors at the same time, and ranks the results
 * together. Small talk finds nothing.
 */
export async function searchMemory(options: SearchMemoryOptions): Promise<MemoryHits> {
  const { query, before, filter, embedder, threshold, minCoverage = MIN_COVERAGE } = options
  if (minCoverage > 0 && isSmallTalk(query)) return { hits: [], failure: undefined, surroundings: undefined }
  const question = readQuestion(query, before)
  const [words, meaning] = await Promise.allSettled([
    searchByWords(options, question),
    searchByMeaning(options, question),
  ])
  if (words.status === 'rejected') throw words.reason
  const failure: unknown = meaning.status === 'rejected' ? meaning.reason : undefined
  const near = meaning.status === 'rejected' ? [] : meaning.value
  const surroundings = await surroundingsOf(words.value, options)
  const candidates = candidatesOf({ words: words.value, near, around: surroundings?.messages ?? [] })
  const isNear = ({ similarity }: Candidate): boolean => similarity !== undefined
  const mustBeNear = embedder !== undefined && threshold !== undefined && failure === undefined
  const ranked = rankTurns(question, candidates)
  const isCovered = ranked.some(({ coverage }) => coverage >= minCoverage)
  const hits = ranked
    .filter(({ candidate }) => isCovered || isNear(candidate))
    .filter(({ candidate }) => isNear(candidate) || !mustBeNear)
    .map(({ candidate: { message, sequence } }) => ({ message, sequence }))
    .filter(({ message }) => passesFilter(message, filter))
  return { hits, failure, surroundings }
}

async function searchByWords(
  { storage, filter, unwanted = 0 }: SearchMemoryOptions,
  { query }: Question,
): Promise<MessageHit[]> {
  return storage.searchMessages({ ...filter, query, limit: CANDIDATES + unwanted })
}

async function searchByMeaning(
  { storage, embedder, vectors, filter, threshold, unwanted = 0, abortSignal }: SearchMemoryOptions,
  { query }: Question,
): Promise<MessageHit[]> {
  if (!embedder) return []
  const [vector = []] = await embedder.embed([query], abortSignal && { abortSignal })
  return recallVectors(storage, vectors).searchVectors({
    ...filter,
    model: embedder.name,
    vector,
    limit: CANDIDATES + unwanted,
    minScore: threshold,
  })
}

/** The best hits of the word search, with their neighbors. */
async function surroundingsOf(
  words: readonly MessageHit[],
  { storage, filter }: SearchMemoryOptions,
): Promise<Surroundings | undefined> {
  const best = words.slice(0, WITH_NEIGHBOURS)
  if (best.length === 0) return undefined
  const messages = await storage.getMessages({
    resourceId: filter.resourceId,
    messages: best.map(({ message }) => messageKeyOf(message)),
    previous: NEIGHBOURS,
    next: NEIGHBOURS,
  })
  return new Surroundings(best, { messages, reach: NEIGHBOURS })
}

/**
 * In this order: the best hits by words with their neighbors, the other hits by words, the hits of the vector
 * search only.
 */
function candidatesOf({
  words,
  near,
  around,
}: {
  words: readonly MessageHit[]
  near: readonly MessageHit[]
  around: readonly StoredMessage[]
}): Candidate[] {
  const scores = new Map(words.map((hit) => [keyOf(hit), hit.score]))
  const similarities = new Map(near.map((hit) => [keyOf(hit), hit.score]))
  const candidates = new Map<string, Candidate>()
  const add = (stored: StoredMessage, isByWords: boolean): void => {
    const key = keyOf(stored)
    if (candidates.has(key)) return
    const { message, sequence } = stored
    const similarity = similarities.get(key)
    candidates.set(key, { message, sequence, isByWords, words: scores.get(key) ?? 0, similarity })
  }
  for (const hit of words.slice(0, WITH_NEIGHBOURS)) add(hit, true)
  for (const stored of around) add(stored, true)
  for (const hit of words.slice(WITH_NEIGHBOURS)) add(hit, true)
  for (const hit of near) add(hit, false)
  return [...candidates.values()]
}
