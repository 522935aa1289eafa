import {
  checkDimensions,
  type ListMessagesWithoutVectorOptions,
  type MessageHit,
  type Page,
  parseListMessagesWithoutVector,
  parseSaveVectors,
  parseSearchVectors,
  type SaveVectorsOptions,
  type SearchVectorsOptions,
  type StoredMessage,
  toPage,
  type VectorSource,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import { filterConditions } from './message-filter.ts'
import { messageColumns, toStoredMessage } from './messages.ts'
import type { Sql } from './postgres-pool.ts'
import { quote, type Tables } from './tables.ts'
import { textColumn } from './text-column.ts'
import { lockThread } from './threads.ts'

/** The maximum number of dimensions of a pgvector value. */
const MAX_PGVECTOR_DIMENSIONS = 16_000

export async function saveVectors(
  { transaction, tables }: Database,
  options: SaveVectorsOptions,
): Promise<void> {
  const { owner, threadId, model, dimensions, vectors } = parseSaveVectors(options)
  if (vectors.length === 0) return
  const incoming = vectors.map(({ messageId, vector }) => ({ messageId, embedding: toLiteral(vector) }))
  await transaction(async (sql) => {
    const thread = await lockThread(sql, { tables, owner, threadId })
    if (!thread) return
    checkDimensions(dimensions, await fixDimensions(sql, { tables, owner, model, dimensions }))
    await sql(
      `INSERT INTO ${tables.vectors} (message_key, owner, model, embedding)
       SELECT DISTINCT ON (key) key, $2, $3, embedding::real[]
       FROM json_array_elements($4::json) WITH ORDINALITY AS given(item, place),
         LATERAL (SELECT item->>'messageId' AS id, item->>'embedding' AS embedding) AS vector
       JOIN ${tables.messages} AS message USING (id)
       WHERE thread_key = $1 AND term_count > 0
       ORDER BY key, place DESC
       ON CONFLICT (message_key) DO UPDATE SET model = excluded.model, embedding = excluded.embedding`,
      [Number(thread.key), owner, model, JSON.stringify(incoming)],
    )
  })
}

/** Must run in a transaction that has locked the thread of the copies. */
export async function copyVectors(
  sql: Sql,
  { tables, owner, thread, from }: { tables: Tables; owner: string; thread: number; from: VectorSource },
): Promise<void> {
  await sql(
    `INSERT INTO ${tables.vectors} (message_key, owner, model, embedding)
     SELECT DISTINCT ON (copy.key) copy.key, vector.owner, vector.model, vector.embedding
     FROM json_to_recordset($4::json) AS pair ("messageId" text, "originalId" text)
     JOIN ${tables.messages} AS copy ON copy.thread_key = $1 AND copy.id = pair."messageId"
     JOIN ${tables.threads} AS source ON source.owner = $2 AND source.id = $3
     JOIN ${tables.messages} AS original
       ON original.thread_key = source.key AND original.id = pair."originalId" AND original.text_hash = copy.text_hash
     JOIN ${tables.vectors} AS vector ON vector.message_key = original.key
     WHERE copy.term_count > 0
     ORDER BY copy.key
     ON CONFLICT (message_key) DO UPDATE SET model = excluded.model, embedding = excluded.embedding`,
    [thread, owner, from.threadId, JSON.stringify(from.messages)],
  )
}

/** The number of dimensions of the model. The first call for a model stores it. */
async function fixDimensions(
  sql: Sql,
  { tables, owner, model, dimensions }: { tables: Tables; owner: string; model: string; dimensions: number },
): Promise<number> {
  const find = async (): Promise<number | undefined> => {
    const [row] = await sql(knownDimensions(tables), [owner, model])
    return row && Number(row.dimensions)
  }
  const known = await find()
  if (known !== undefined) return known
  await sql(`INSERT INTO ${tables.models} VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
    owner,
    model,
    dimensions,
  ])
  return (await find()) ?? dimensions
}

function knownDimensions(tables: Tables): string {
  return `SELECT dimensions FROM ${tables.models} WHERE owner = $1 AND model = $2`
}

/**
 * Compares the query with all vectors of the owner. This is exact, and an index over all owners has a low
 * recall for a single one. Uses pgvector if it is installed, which is faster.
 */
export async function searchVectors(
  database: Database,
  options: SearchVectorsOptions,
): Promise<MessageHit[]> {
  const { filter, model, vector, limit, minScore } = parseSearchVectors(options)
  const { read, tables } = database
  const [known] = await read(knownDimensions(tables), [filter.owner, model])
  if (!known) return []
  checkDimensions(vector.length, Number(known.dimensions))
  const { pgvector } = await database.extensions()
  const similarity =
    pgvector !== undefined && vector.length <= MAX_PGVECTOR_DIMENSIONS
      ? innerProduct(quote(pgvector))
      : `(SELECT sum(a::float8 * b) FROM unnest(embedding, $3::text::real[]) AS pair(a, b))`
  const { conditions, values } = filterConditions(filter, { tables, first: 6 })
  // Within a thread: the vectors of its messages, by thread key. Within a resource: all its vectors; messages
  // are joined only if a filter needs them.
  const compared =
    filter.threadId !== undefined
      ? `SELECT message.key, vector.embedding FROM (
           SELECT key FROM ${tables.messages} AS message WHERE true${conditions} OFFSET 0
         ) AS message CROSS JOIN LATERAL (
           SELECT embedding FROM ${tables.vectors} WHERE message_key = message.key AND owner = $1 AND model = $2 OFFSET 0
         ) AS vector`
      : `SELECT message_key AS key, embedding FROM ${tables.vectors} AS vector
         ${conditions && `JOIN ${tables.messages} AS message ON message.key = message_key`}
         WHERE vector.owner = $1 AND model = $2${conditions}`
  const rows = await read(
    `WITH best AS (
       SELECT * FROM (
         SELECT compared.key, ${similarity} AS score FROM (${compared}) AS compared OFFSET 0
       ) AS scored
       WHERE score >= $4::text::float8 ORDER BY score DESC, key DESC LIMIT $5
     )
     SELECT best.score, ${textColumn('thread.id', { name: 'thread_id' })}, ${messageColumns('message')}
     FROM best
     JOIN ${tables.messages} AS message USING (key)
     JOIN ${tables.threads} AS thread ON thread.key = message.thread_key
     ORDER BY best.score DESC, best.key DESC`,
    [filter.owner, model, toLiteral(vector), String(minScore), limit, ...values],
  )
  return rows.map((row) => ({ ...toStoredMessage(row, { owner: filter.owner }), score: Number(row.score) }))
}

/**
 * pgvector's operator returns the negated inner product. It is qualified with the schema, because the
 * extension may be outside the search path.
 */
function innerProduct(schema: string): string {
  return `-(embedding::${schema}.vector OPERATOR(${schema}.<#>) $3::text::real[]::${schema}.vector)`
}

export async function listMessagesWithoutVector(
  { read, tables }: Database,
  options: ListMessagesWithoutVectorOptions,
): Promise<Page<StoredMessage>> {
  const { owner, threadId, model, limit, after = 0 } = parseListMessagesWithoutVector(options)
  const values = [owner, after, model, limit + 1]
  const inThread = threadId === undefined ? '' : `AND thread.id = $${values.push(threadId)}`
  const rows = await read(
    `SELECT message.key, ${textColumn('thread.id', { name: 'thread_id' })}, ${messageColumns('message')}
     FROM ${tables.messages} AS message JOIN ${tables.threads} AS thread ON thread.key = message.thread_key
     WHERE message.owner = $1 AND message.term_count > 0 AND message.key > $2 ${inThread}
       AND NOT EXISTS (SELECT FROM ${tables.vectors} WHERE message_key = message.key AND model = $3)
     ORDER BY message.key LIMIT $4`,
    values,
  )
  return toPage(rows, {
    limit,
    item: (row) => toStoredMessage(row, { owner }),
    place: ({ key }) => Number(key),
  })
}

/** The literal of a `real` array. Nine digits represent a 32-bit float exactly. */
function toLiteral(vector: Float32Array): string {
  return `{${Array.from(vector, (value) => value.toPrecision(9)).join(',')}}`
}
