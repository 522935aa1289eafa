import type { FilterColumns, MessageHit } from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'
import { FILTER_CONDITION, filterParameters, isFiltered } from './message-filter.ts'
import { FIRST_KEY, LAST_KEY } from './message-keys.ts'
import { MESSAGE_COLUMNS, toStoredMessage } from './message-statements.ts'
import { THREAD_KEY } from './thread-statements.ts'

/**
 * A term in more messages of a resource than this is common: it selects nothing if there is a rarer one. To rank a message
 * takes ten times as long as to count it.
 */
const COMMON = 2_000

/** In a thread of more messages than this, matches are looked up in it, rather than its messages among the matches. */
const LONG_THREAD = 2_000

export interface WordSearch {
  filter: FilterColumns
  /** At least one. */
  terms: string[]
  limit: number
}

export function toHit(row: Row, owner: string): MessageHit {
  return { ...toStoredMessage(row, owner), score: row.score as number }
}

/** Messages with a term that is not common. */
export function searchMessages(search: WordSearch): Statement {
  return toStatement(search, SEARCH)
}

/** Where all terms are common: the best of the newest messages with one of them, as many as one may have. */
export function searchCommon(search: WordSearch): Statement {
  return toStatement(search, SEARCH_COMMON)
}

type Texts = Readonly<Record<'resource' | 'thread', readonly [plain: string, filtered: string]>>

function toStatement({ filter, terms, limit }: WordSearch, texts: Texts): Statement {
  return {
    sql: texts[filter.threadId === undefined ? 'resource' : 'thread'][isFiltered(filter) ? 1 : 0],
    parameters: { ...filterParameters(filter), terms: JSON.stringify(terms), limit },
  }
}

// Terms consist of letters, digits and marks: in quotes, none is syntax.
const TERM = `'"' || value || '"'`

function matches(expression: string): string {
  return `millrace_words MATCH coalesce(${expression}, '""')
    AND millrace_words.rowid >= ${FIRST_KEY} AND millrace_words.rowid <= ${LAST_KEY}`
}

/** What restricts an expression of FTS5 to the messages of a thread. */
const WITHIN_THREAD = `'thread : "' || key || '" AND ' FROM millrace_threads WHERE key = ${THREAD_KEY}`

function expressionOf(scope: string): string {
  return `SELECT ${scope}'terms : (' || group_concat(${TERM}, ' OR ') || ')' AS expression FROM json_each(:terms)`
}

const SEARCH = textsOf({
  scope: `coalesce((SELECT ${WITHIN_THREAD} AND message_count <= ${LONG_THREAD}), '') || `,
  query: (scope) => `${expressionOf(scope)}
    WHERE (SELECT count(*) FROM (SELECT 1 FROM millrace_words
      WHERE ${matches(`${scope}'terms : ' || ${TERM}`)} LIMIT ${COMMON + 1})) <= ${COMMON}`,
  condition: () => '',
})

const SEARCH_COMMON = textsOf({
  scope: `(SELECT ${WITHIN_THREAD}) || `,
  query: expressionOf,
  condition: (found) => `AND millrace_words.rowid >= (SELECT min(key) FROM (
    SELECT millrace_words.rowid AS key ${found} ORDER BY millrace_words.rowid DESC LIMIT ${COMMON}))`,
})

interface Search {
  /** Where a thread is searched: what comes before the terms. */
  scope: string
  query: (scope: string) => string
  /** Restricts what was `found` further. */
  condition: (found: string) => string
}

function textsOf({ scope, query, condition }: Search): Texts {
  const toText = (expression: string, filter?: string): string => {
    const messages = 'CROSS JOIN millrace_messages m ON m.key = millrace_words.rowid'
    const found = `FROM millrace_words ${filter === undefined ? '' : messages}
      WHERE ${matches('(SELECT expression FROM query)')} ${filter === undefined ? '' : `AND ${filter}`}`
    return `WITH query AS MATERIALIZED (${expression}), best AS (
        SELECT millrace_words.rowid AS key, -bm25(millrace_words, 0.0, 1.0) AS score ${found} ${condition(found)}
        ORDER BY score DESC, millrace_words.rowid DESC LIMIT :limit
      )
      SELECT ${MESSAGE_COLUMNS}, best.score FROM best CROSS JOIN millrace_messages m ON m.key = best.key
      CROSS JOIN millrace_threads t ON t.key = m.thread ORDER BY best.score DESC, best.key DESC`
  }
  const inThread = `m.thread = ${THREAD_KEY}`
  return {
    resource: [toText(query('')), toText(query(''), FILTER_CONDITION)],
    thread: [toText(query(scope), inThread), toText(query(scope), `${inThread} AND ${FILTER_CONDITION}`)],
  }
}
