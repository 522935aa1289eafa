import { type Message, type OptionNames, requireFraction, type Store, type ThreadKey } from '@millrace/core'
import { checkCount } from '@millrace/core/storage'
import { Embedder } from './embedder.ts'
import { loadSearch } from './load-search.ts'
import { isRecallable, rangeOf, scopeOf, withNeighbours } from './recall-scope.ts'
import { SEMANTIC_RECALL_OPTIONS, type SemanticRecallOptions } from './semantic-recall-processor.ts'

export interface QueryOptions extends SemanticRecallOptions {
  /** The text to search for. */
  query: string
}

export const QUERY_OPTIONS: OptionNames<QueryOptions> = { ...SEMANTIC_RECALL_OPTIONS, query: 'required' }

/**
 * Finds messages that are relevant to a text, with their neighbors, as `SemanticRecallProcessor` does.
 *
 * @throws the error of the embedding model
 */
export async function queryMessages(
  storage: Store,
  key: ThreadKey,
  { query, topK, messageRange = 1, scope, threshold, minCoverage, embedder, vectors, filter }: QueryOptions,
): Promise<Message[]> {
  const count = checkCount('topK', topK, { fallback: 4 })
  const { searchMemory, withoutNearDuplicates } = await loadSearch()
  const { hits, failure, surroundings } = await searchMemory({
    storage,
    embedder: embedder && Embedder.of(embedder),
    vectors,
    filter: scopeOf(key, { scope, filter }),
    query,
    threshold,
    minCoverage: requireFraction('minCoverage', minCoverage),
  })
  if (failure !== undefined) throw failure
  const shown = withoutNearDuplicates(hits.filter(isRecallable), { text: query, count })
  const found = await withNeighbours(shown, {
    storage,
    resourceId: key.resourceId,
    range: rangeOf(messageRange),
    known: surroundings,
  })
  return found.map(({ message }) => message)
}
