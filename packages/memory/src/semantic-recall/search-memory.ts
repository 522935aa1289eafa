import type { MessageFilter, Store, StoredMessage } from '@millrace/core'
import type { Embedder } from './embedder.ts'
import { favourNeighbours, fuseHits } from './fuse-hits.ts'

export interface SearchMemoryOptions {
  storage: Store
  embedder: Embedder | undefined
  filter: MessageFilter
  query: string
  /** The lowest cosine similarity of what is found by meaning. */
  threshold?: number | undefined
  /** How many of the hits may be messages that are not wanted. Default: 0. */
  unwanted?: number | undefined
  abortSignal?: AbortSignal
}

export interface MemoryHits {
  /** Best first. */
  hits: StoredMessage[]
  /** Why nothing was found by meaning; `hits` is what words have found then. */
  failure: unknown
}

/** How many hits of each kind are ranked. */
const CANDIDATES = 50

/** Searches by words and, with an embedding model, by meaning at the same time, and makes one ranking of both. */
export async function searchMemory(options: SearchMemoryOptions): Promise<MemoryHits> {
  const { embedder } = options
  if (!embedder) return { hits: await searchByWords(options), failure: undefined }
  const [words, meaning] = await Promise.allSettled([
    searchByWords(options),
    searchByMeaning(options, embedder),
  ])
  if (words.status === 'rejected') throw words.reason
  if (meaning.status === 'rejected') return { hits: words.value, failure: meaning.reason }
  return { hits: fuseHits([words.value, meaning.value]), failure: undefined }
}

async function searchByWords({
  storage,
  filter,
  query,
  unwanted = 0,
}: SearchMemoryOptions): Promise<StoredMessage[]> {
  return favourNeighbours(await storage.searchMessages({ ...filter, query, limit: CANDIDATES + unwanted }))
}

async function searchByMeaning(
  { storage, filter, query, threshold, unwanted = 0, abortSignal }: SearchMemoryOptions,
  embedder: Embedder,
): Promise<StoredMessage[]> {
  const [vector = []] = await embedder.embed([query], abortSignal && { abortSignal })
  return storage.searchVectors({
    ...filter,
    model: embedder.name,
    vector,
    limit: CANDIDATES + unwanted,
    minScore: threshold,
  })
}
