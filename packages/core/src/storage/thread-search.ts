import type { OptionNames } from '../option-names.ts'
import { checkCount, ownerKey, readOptions } from './arguments.ts'
import { type FilterColumns, parseConditions } from './search-arguments.ts'
import { indexTerms, MAX_SEARCHED_LENGTH, queryTerms } from './search-terms.ts'
import { invalidInput } from './store-errors.ts'
import type { SearchThreadsOptions } from './thread-store.ts'

const SEARCH_THREADS_OPTIONS: OptionNames<SearchThreadsOptions> = {
  resourceId: 'optional',
  query: 'optional',
  metadata: 'optional',
  limit: 'optional',
}

/** The score that a title with all words of the query adds to its thread. */
const TITLE_SCORE = 10

export interface ThreadSearch {
  owner: string
  /** Distinct stems; `undefined` without a query, empty if it has no word. */
  terms: string[] | undefined
  metadata: FilterColumns['metadata']
  limit: number
}

/** The columns of a thread that a search needs. */
export interface ThreadColumnsToSearch {
  id: string
  title: string | null | undefined
  /** JSON. Read only if the search has conditions on it. */
  metadata: string
  /** Increases in the order of changes. */
  changed: number
}

/** The best message of a thread in a full-text search. */
export interface BestMessage {
  threadId: string
  messageId: string
  score: number
}

export interface RankedThread {
  threadId: string
  score: number
  messageId?: string
}

export function parseSearchThreads(options: SearchThreadsOptions): ThreadSearch {
  const {
    resourceId,
    query,
    metadata = {},
    limit,
  } = readOptions('store.searchThreads()', options, SEARCH_THREADS_OPTIONS)
  if (query !== undefined && typeof query !== 'string') throw invalidInput('query must be a string.')
  return {
    owner: ownerKey(resourceId),
    terms: query === undefined ? undefined : queryTerms(query),
    metadata: parseConditions(metadata),
    limit: checkCount('limit', limit, { fallback: 20 }),
  }
}

/** The threads of a resource that a search finds, best first. The same for every store. */
export function rankThreads(
  threads: Iterable<ThreadColumnsToSearch>,
  { terms, metadata, limit }: ThreadSearch,
  bestMessages: readonly BestMessage[] = [],
): RankedThread[] {
  const best = new Map(bestMessages.map((message) => [message.threadId, message]))
  const found: (RankedThread & { changed: number })[] = []
  for (const { id, title, metadata: json, changed } of threads) {
    const message = best.get(id)
    const ofTitle = terms && title ? titleScore(title, terms) : 0
    if (terms && !message && ofTitle === 0) continue
    if (metadata.length > 0 && !hasAll(json, metadata)) continue
    const score = ofTitle + (message?.score ?? 0)
    found.push({ threadId: id, score, changed, ...(message && { messageId: message.messageId }) })
  }
  return found
    .sort((left, right) => right.score - left.score || right.changed - left.changed)
    .slice(0, limit)
    .map(({ changed: _, ...ranked }) => ranked)
}

function titleScore(title: string, terms: readonly string[]): number {
  const inTitle = new Set(indexTerms(title.slice(0, MAX_SEARCHED_LENGTH)))
  return (TITLE_SCORE * terms.filter((term) => inTitle.has(term)).length) / terms.length || 0
}

function hasAll(json: string, conditions: ThreadSearch['metadata']): boolean {
  const found = JSON.parse(json) as Record<string, unknown>
  return conditions.every(([name, value]) => Object.hasOwn(found, name) && found[name] === value)
}
