import type { FilterColumns, ThreadColumns, VectorSource } from '@millrace/core/storage'
import type { Statement } from './connection.ts'
import { LIMIT } from './limit.ts'
import { FILTER_CONDITION, filterParameters, isFiltered } from './message-filter.ts'
import { FIRST_KEY, LAST_KEY } from './message-keys.ts'
import { MESSAGE_COLUMNS } from './message-statements.ts'
import { HIDDEN_THREADS, OWNER_KEY, THREAD_KEY } from './thread-statements.ts'

function toBytes(vector: Float32Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Returns the number of dimensions of a model, if it has vectors. */
export function getDimensions({ owner, model }: { owner: string; model: string }): Statement {
  return { sql: GET_DIMENSIONS, parameters: { owner, model } }
}

const GET_DIMENSIONS = `SELECT dimensions FROM millrace_models WHERE resource = ${OWNER_KEY} AND name = :model`

/** The second statement returns the dimensions. If they differ, nothing is stored. */
export function saveVectors(
  options: ThreadColumns & {
    model: string
    dimensions: number
    vectors: { messageId: string; vector: Float32Array<ArrayBuffer> }[]
  },
): Statement[] {
  const { owner, threadId, model, dimensions, vectors } = options
  return [
    { sql: ADD_MODEL, parameters: { owner, thread: threadId, model, dimensions } },
    { sql: GET_DIMENSIONS_IN_THREAD, parameters: { owner, thread: threadId, model } },
    ...vectors.map(({ messageId, vector }) => ({
      sql: SAVE_VECTOR,
      parameters: { owner, thread: threadId, model, dimensions, id: messageId, vector: toBytes(vector) },
    })),
  ]
}

// Without the thread, nothing is stored and nothing is checked.
const GET_DIMENSIONS_IN_THREAD = `${GET_DIMENSIONS} AND ${THREAD_KEY} IS NOT NULL`

/** The key of `:model`, if its vectors have `:dimensions`. */
const MODEL_KEY = `(SELECT key FROM millrace_models
  WHERE resource = ${OWNER_KEY} AND name = :model AND dimensions = :dimensions)`

const ADD_MODEL = `INSERT INTO millrace_models (resource, name, dimensions)
  SELECT resource, :model, :dimensions FROM millrace_threads WHERE key = ${THREAD_KEY}
  ON CONFLICT (resource, name) DO NOTHING`

const SAVE_VECTOR = `INSERT INTO millrace_vectors (message, model, vector)
  SELECT key, ${MODEL_KEY}, :vector FROM millrace_messages
  WHERE thread = ${THREAD_KEY} AND id = :id AND terms IS NOT NULL AND ${MODEL_KEY} IS NOT NULL
  ON CONFLICT (message) DO UPDATE SET model = excluded.model, vector = excluded.vector`

export function copyVectors(from: VectorSource, { owner, threadId }: ThreadColumns): Statement {
  const pairs = JSON.stringify(from.messages.map(({ messageId, originalId }) => [messageId, originalId]))
  return { sql: COPY_VECTORS, parameters: { owner, thread: threadId, from: from.threadId, pairs } }
}

const COPY_VECTORS = `INSERT INTO millrace_vectors (message, model, vector)
  SELECT m.key, v.model, v.vector FROM json_each(:pairs) pair
  CROSS JOIN millrace_messages m ON m.thread = ${THREAD_KEY} AND m.id = pair.value ->> 0
  CROSS JOIN millrace_messages original
    ON original.thread = (SELECT key FROM millrace_threads WHERE resource = ${OWNER_KEY} AND id = :from)
    AND original.id = pair.value ->> 1 AND original.terms = m.terms
  CROSS JOIN millrace_vectors v ON v.message = original.key WHERE true
  ON CONFLICT (message) DO UPDATE SET model = excluded.model, vector = excluded.vector`

export interface VectorSearch {
  filter: FilterColumns
  model: string
  vector: Float32Array<ArrayBuffer>
  limit: number
  minScore: number
}

/** Number of positions whose vectors are compared at once: about 10 ms with 384 dimensions. */
export const POSITIONS_PER_SLICE = 5_000

/** Returns the number of positions of a resource, which bounds the range of its vectors. */
export function countPositions(owner: string): Statement {
  return { sql: COUNT_POSITIONS, parameters: { owner } }
}

const COUNT_POSITIONS = 'SELECT last_place AS places FROM millrace_resources WHERE id = :owner'

/** A match within a slice: its position and score. */
export interface BestVector {
  place: number
  score: number
}

/** Compares by score, best first. */
export function byScore(left: BestVector, right: BestVector): number {
  return right.score - left.score || right.place - left.place
}

/** The messages at these positions, with their scores, best first. */
export function getHits(owner: string, best: readonly BestVector[]): Statement {
  const places = JSON.stringify(best.map(({ place, score }) => [place, score]))
  return { sql: GET_HITS, parameters: { owner, places } }
}

const GET_HITS = `SELECT ${MESSAGE_COLUMNS}, best.value ->> 1 AS score FROM json_each(:places) best
  CROSS JOIN millrace_messages m ON m.key = ${OWNER_KEY} << 32 | (best.value ->> 0)
  CROSS JOIN millrace_threads t ON t.key = m.thread ORDER BY score DESC, m.key DESC`

/** Compares the vectors between two positions of a resource. */
export function vectorSlice(
  cosineDistance: string,
): (search: VectorSearch, slice: { from: number; to: number }) => Statement {
  const [plain, filtered] = ['', FILTER_CONDITION].map((condition) =>
    bestWithin(cosineDistance, {
      vectors: vectorsWithin(`${OWNER_KEY} << 32 | :from`, `${OWNER_KEY} << 32 | :to`, condition),
      condition,
    }),
  )
  return (search, slice) => ({
    sql: `SELECT key & 4294967295 AS place, score FROM (${isFiltered(search.filter) ? filtered : plain})
      WHERE score >= :minScore`,
    parameters: { ...parametersOf(search), ...slice },
  })
}

/** `cosineDistance`: the name of the SQL function. */
export function vectorSearch(cosineDistance: string): (search: VectorSearch) => Statement {
  const texts = {
    resource: [searchWithin(cosineDistance, { thread: false, condition: '' })],
    thread: [searchWithin(cosineDistance, { thread: true, condition: '' })],
  }
  texts.resource.push(searchWithin(cosineDistance, { thread: false, condition: FILTER_CONDITION }))
  texts.thread.push(searchWithin(cosineDistance, { thread: true, condition: FILTER_CONDITION }))
  return (search) => {
    const { filter } = search
    const sql = texts[filter.threadId === undefined ? 'resource' : 'thread'][isFiltered(filter) ? 1 : 0] ?? ''
    return { sql, parameters: parametersOf(search) }
  }
}

function parametersOf({ filter, model, vector, limit, minScore }: VectorSearch): Statement['parameters'] {
  return {
    ...filterParameters(filter),
    model,
    dimensions: vector.length,
    vector: toBytes(vector),
    limit,
    // Cosine similarity is between -1 and 1, and SQL has no infinity.
    minScore: Math.min(Math.max(minScore, -2), 2),
  }
}

function searchWithin(
  cosineDistance: string,
  { thread, condition }: { thread: boolean; condition: string },
): string {
  // The keys of a thread come from the index of its messages. The messages of a resource are one range of
  // vectors.
  const vectors = thread
    ? `FROM millrace_messages m INDEXED BY millrace_messages_by_sequence
        CROSS JOIN millrace_vectors v ON v.message = m.key WHERE m.thread = ${THREAD_KEY}`
    : vectorsWithin(FIRST_KEY, LAST_KEY, condition)
  return `WITH best AS (${bestWithin(cosineDistance, { vectors, condition })})
    SELECT ${MESSAGE_COLUMNS}, best.score FROM best CROSS JOIN millrace_messages m ON m.key = best.key
    CROSS JOIN millrace_threads t ON t.key = m.thread WHERE best.score >= :minScore
    ORDER BY best.score DESC, best.key DESC`
}

/** Vectors in a key range, without those of hidden threads. */
function vectorsWithin(first: string, last: string, condition: string): string {
  return `FROM millrace_vectors v ${condition && 'CROSS JOIN millrace_messages m ON m.key = v.message'}
    WHERE v.message BETWEEN ${first} AND ${last} AND (NOT EXISTS ${HIDDEN_THREADS}
      OR (SELECT thread FROM millrace_messages h WHERE h.key = v.message) NOT IN ${HIDDEN_THREADS})`
}

function bestWithin(
  cosineDistance: string,
  { vectors, condition }: { vectors: string; condition: string },
): string {
  return `SELECT v.message AS key, 1 - ${cosineDistance}(v.vector, :vector) AS score ${vectors}
    AND v.model = ${MODEL_KEY}
    ${condition && `AND ${condition}`}
    ORDER BY score DESC, v.message DESC ${LIMIT}`
}

export function listMessagesWithoutVector(options: {
  owner: string
  threadId: string | undefined
  model: string
  limit: number
  after: number | undefined
}): Statement {
  const { owner, threadId, model, limit, after } = options
  return {
    sql: LIST_WITHOUT_VECTOR,
    parameters: { owner, thread: threadId ?? null, model, after: after ?? 0, limit: limit + 1 },
  }
}

// Merges two ordered lists: messages without any vector, and messages with a vector of another model only.
const START = '(SELECT key << 32 | :after FROM millrace_resources WHERE id = :owner)'

const LIST_WITHOUT_VECTOR = `WITH missing AS (
    SELECT message AS key FROM millrace_without_vector
    WHERE message > ${START} AND message <= ${LAST_KEY} AND (:thread IS NULL OR thread = ${THREAD_KEY}) AND thread NOT IN ${HIDDEN_THREADS}
    UNION ALL
    SELECT v.message FROM millrace_models d CROSS JOIN millrace_vectors v ON v.model = d.key
    WHERE d.resource = ${OWNER_KEY} AND d.name <> :model AND v.message > ${START}
      AND (:thread IS NULL OR ${THREAD_KEY} = (SELECT thread FROM millrace_messages WHERE key = v.message))
      AND (SELECT thread FROM millrace_messages WHERE key = v.message) NOT IN ${HIDDEN_THREADS}
    ORDER BY 1 ${LIMIT}
  )
  SELECT ${MESSAGE_COLUMNS}, m.key & 4294967295 AS place FROM missing
  CROSS JOIN millrace_messages m ON m.key = missing.key CROSS JOIN millrace_threads t ON t.key = m.thread
  ORDER BY m.key`
