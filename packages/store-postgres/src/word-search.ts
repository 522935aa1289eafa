import {
  type BestMessage,
  BM25,
  type MessageHit,
  parseSearchMessages,
  type SearchMessagesOptions,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import { filterConditions } from './message-filter.ts'
import { messageColumns, toStoredMessage } from './messages.ts'
import type { Tables } from './tables.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

/**
 * A term that occurs in more messages of the owner than this is too common to select candidates, unless the
 * query has no other terms, and its document frequency is capped at this number. This bounds the cost of a
 * search.
 */
const COMMON = 10_000

/**
 * Ranks by BM25 over the terms that core extracts from texts and queries. Terms are indexed as hashes of
 * owner and term, in an array with a GIN index: the search of one owner reads no index entries of another,
 * and texts have no maximum length, unlike with `tsvector`. `hashtextextended` is stable across versions,
 * because Postgres uses it for hash partitioning.
 */
export async function searchMessages(
  { read, tables }: Database,
  options: SearchMessagesOptions,
): Promise<MessageHit[]> {
  const { filter, terms, limit } = parseSearchMessages(options)
  if (terms.length === 0) return []
  const { conditions, values } = filterConditions(filter, { tables, first: 4 })
  const rows = await read(
    `${scored(tables, conditions)}, best AS (SELECT key, score FROM scored ORDER BY score DESC, key DESC LIMIT $3)
     SELECT best.score, ${textColumn('thread.id', { name: 'thread_id' })}, ${messageColumns('message')}
     FROM best
     JOIN ${tables.messages} AS message USING (key)
     JOIN ${tables.threads} AS thread ON thread.key = message.thread_key
     ORDER BY best.score DESC, best.key DESC`,
    [filter.owner, JSON.stringify(terms), limit, ...values],
  )
  return rows.map((row) => ({ ...toStoredMessage(row, { owner: filter.owner }), score: Number(row.score) }))
}

/** For each thread of an owner, the message that {@link searchMessages} would rank first. */
export async function bestMessages(
  { read, tables }: Database,
  { owner, terms }: { owner: string; terms: readonly string[] },
): Promise<BestMessage[]> {
  const rows = await read(
    `${scored(tables, '')}, best AS (
       SELECT DISTINCT ON (thread_key) key, thread_key, score FROM scored ORDER BY thread_key, score DESC, key DESC
     )
     SELECT best.score, ${textColumn('thread.id', { name: 'thread_id' })}, ${textColumn('message.id', { name: 'id' })}
     FROM best
     JOIN ${tables.messages} AS message USING (key)
     JOIN ${tables.threads} AS thread ON thread.key = best.thread_key`,
    [owner, JSON.stringify(terms)],
  )
  return rows.map((row) => ({
    threadId: fromTextColumn(row.thread_id),
    messageId: fromTextColumn(row.id),
    score: Number(row.score),
  }))
}

/** The messages of an owner ($1) that contain a term ($2, JSON) that is not too common, with their scores. */
function scored(tables: Tables, conditions: string): string {
  const { k1, b } = BM25
  return `WITH corpus AS (
       SELECT sum(text_count)::float8 AS texts, sum(term_count)::float8 / nullif(sum(text_count), 0) AS length
       FROM ${tables.threads} WHERE owner = $1
     ), query AS MATERIALIZED (
       SELECT place, term, found, ln(1 + greatest(texts - found + 0.5, 0) / (found + 0.5)) AS weight
       FROM corpus,
         (SELECT place, hashtextextended($1 || ' ' || word, 0) AS term
          FROM json_array_elements_text($2::json) WITH ORDINALITY AS given(word, place)) AS terms,
         LATERAL (SELECT count(*)::float8 AS found FROM (
           SELECT FROM ${tables.messages} WHERE terms @> ARRAY[term] LIMIT ${COMMON}
         ) AS having_it) AS counted
       WHERE found > 0
     ), finding AS (
       SELECT array_agg(term) AS terms FROM query
       WHERE found < ${COMMON} OR (SELECT min(found) FROM query) >= ${COMMON}
     ), scored AS (
       SELECT message.key, message.thread_key, (
         SELECT sum(weight * frequency * ${k1 + 1} / (frequency + ${k1} * (1 - ${b} + ${b} * term_count / length)))
         FROM (
           SELECT weight, length, frequencies[array_position(message.terms, term)]::float8 AS frequency
           FROM query, corpus ORDER BY place
         ) AS occurring
       ) AS score
       FROM ${tables.messages} AS message
       WHERE message.terms && (SELECT terms FROM finding) AND message.owner = $1${conditions}
     )`
}
