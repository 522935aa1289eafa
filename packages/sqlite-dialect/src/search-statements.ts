import type { FilterColumns, MessageHit } from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'
import { FILTER_CONDITION, filterParameters, isFiltered, OWNED_KEYS } from './message-filter.ts'
import { MESSAGE_COLUMNS, toStoredMessage } from './message-statements.ts'
import { THREAD_KEY } from './thread-statements.ts'

/**
 * A term in more messages of the searched ones than this is common: it selects nothing if there is a rarer one. Ranking a
 * message takes about ten times as long as counting it.
 */
const COMMON = 4_000

export function toHit(row: Row, owner: string): MessageHit {
  return { ...toStoredMessage(row, owner), score: row.score as number }
}

/** `terms`: at least one. */
export function searchMessages({
  filter,
  terms,
  limit,
}: {
  filter: FilterColumns
  terms: string[]
  limit: number
}): Statement {
  return {
    sql: SEARCH[filter.threadId === undefined ? 'resource' : 'thread'][isFiltered(filter) ? 1 : 0],
    parameters: { ...filterParameters(filter), terms: JSON.stringify(terms), limit },
  }
}

const SEARCH = {
  resource: [searchWithin("''", ''), searchWithin("''", FILTER_CONDITION)],
  thread: [searchWithin(IN_THREAD(), ''), searchWithin(IN_THREAD(), FILTER_CONDITION)],
} as const

function IN_THREAD(): string {
  return `'thread : "' || ${THREAD_KEY} || '" AND '`
}

/**
 * Terms consist of letters, digits and marks: in quotes, none is syntax. If every term is common, the newest messages
 * with one of them are ranked, as many as one common term may have.
 */
function searchWithin(scope: string, condition: string): string {
  const matches = (expression: string): string =>
    `millrace_words MATCH coalesce(${expression}, '""') AND rowid BETWEEN ${OWNED_KEYS}`
  return `WITH counted AS MATERIALIZED (
      SELECT '"' || value || '"' AS term, (SELECT count(*) FROM (SELECT 1 FROM millrace_words
        WHERE ${matches(`${scope} || 'terms : "' || value || '"'`)} LIMIT ${COMMON + 1})) AS messages
      FROM json_each(:terms)
    ), query AS MATERIALIZED (
      SELECT ${scope} || 'terms : (' || coalesce(
          (SELECT group_concat(term, ' OR ') FROM counted WHERE messages BETWEEN 1 AND ${COMMON}),
          (SELECT group_concat(term, ' OR ') FROM counted WHERE messages > 0)) || ')' AS expression
    ), oldest AS MATERIALIZED (
      SELECT CASE WHEN (SELECT min(messages) FROM counted WHERE messages > 0) <= ${COMMON} THEN 0 ELSE (
        SELECT min(rowid) FROM (SELECT rowid FROM millrace_words
          WHERE ${matches('(SELECT expression FROM query)')} ORDER BY rowid DESC LIMIT ${COMMON})) END AS key
    ), best AS (
      SELECT millrace_words.rowid AS key, -bm25(millrace_words, 0.0, 1.0) AS score
      FROM millrace_words ${condition && 'CROSS JOIN millrace_messages m ON m.key = millrace_words.rowid'}
      WHERE ${matches('(SELECT expression FROM query)').replace('rowid', 'millrace_words.rowid')}
        AND millrace_words.rowid >= (SELECT key FROM oldest)
        ${condition && `AND ${condition}`}
      ORDER BY score DESC, millrace_words.rowid DESC LIMIT :limit
    )
    SELECT ${MESSAGE_COLUMNS}, best.score FROM best CROSS JOIN millrace_messages m ON m.key = best.key
    CROSS JOIN millrace_threads t ON t.key = m.thread ORDER BY best.score DESC, best.key DESC`
}
