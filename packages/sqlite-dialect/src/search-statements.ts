import { BM25, type FilterColumns, type MessageHit } from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'
import { LIMIT } from './limit.ts'
import { FILTER_CONDITION, filterParameters, isFiltered } from './message-filter.ts'
import { FIRST_KEY, LAST_KEY } from './message-keys.ts'
import { MESSAGE_COLUMNS, toStoredMessage } from './message-statements.ts'
import { HIDDEN_THREADS, OWNER_KEY, THREAD_KEY } from './thread-statements.ts'

/**
 * A term that occurs in more messages of a resource than this is common: it selects no messages if the query
 * has a rarer term. Ranking a message takes ten times as long as counting it.
 */
const COMMON = 2_000

/**
 * In a thread with more messages than this, the matches are looked up in the thread. In a shorter one, its
 * messages are looked up among the matches.
 */
const LONG_THREAD = 2_000

export interface WordSearch {
  filter: FilterColumns
  /** At least one term. */
  terms: string[]
  limit: number
}

export function toHit(row: Row, owner: string): MessageHit {
  return { ...toStoredMessage(row, owner), score: row.score as number }
}

/** Searches messages by the terms that are not common. */
export function searchMessages(search: WordSearch): Statement {
  return toStatement(search, SEARCH)
}

/**
 * For queries with common terms only: the best of the newest messages that contain one of them. Reads as many
 * messages as one common term may have.
 */
export function searchCommon(search: WordSearch): Statement {
  return toStatement(search, SEARCH_COMMON)
}

/** For each thread of a resource, the best message that contains a term that is not common. */
export function bestMessages({ owner, terms }: { owner: string; terms: readonly string[] }): Statement {
  return { sql: SEARCH.threads, parameters: { owner, terms: JSON.stringify(terms) } }
}

/** For queries with common terms only, as {@link searchCommon}. */
export function bestCommonMessages({ owner, terms }: { owner: string; terms: readonly string[] }): Statement {
  return { sql: SEARCH_COMMON.threads, parameters: { owner, terms: JSON.stringify(terms) } }
}

type Texts = Readonly<Record<'resource' | 'thread', readonly [plain: string, filtered: string]>> & {
  /** The best message of each thread. */
  readonly threads: string
}

function toStatement({ filter, terms, limit }: WordSearch, texts: Texts): Statement {
  return {
    sql: texts[filter.threadId === undefined ? 'resource' : 'thread'][isFiltered(filter) ? 1 : 0],
    parameters: { ...filterParameters(filter), terms: JSON.stringify(terms), limit },
  }
}

// Terms consist of letters, digits and marks, so in quotes none of them is FTS5 syntax.
const TERM = `'"' || value || '"'`

function matches(expression: string, { from = FIRST_KEY }: { from?: string } = {}): string {
  return `millrace_words MATCH ${expression}
    AND millrace_words.rowid >= ${from} AND millrace_words.rowid <= ${LAST_KEY}`
}

/** Restricts an FTS5 expression to the messages of a thread. */
const WITHIN_THREAD = `'thread : "' || key || '" AND ' FROM millrace_threads WHERE key = ${THREAD_KEY}`

const { k1, b } = BM25

/** The frequency of a term in a message of `millrace_texts`. */
const FREQUENCY = `coalesce(CAST(substr(text.repeated,
  nullif(instr(text.repeated, ' ' || term || ':'), 0) + length(term) + 2) AS INTEGER), 1)`

/**
 * The terms, each with its contribution to the score of a message at frequency 1 and length 0. The document
 * frequency is that of the resource, also if only one thread is searched, and is capped for common terms.
 */
const QUERY = `counted AS MATERIALIZED (
    SELECT value AS term, (SELECT count(*) FROM (
      SELECT 1 FROM millrace_words WHERE ${matches(`'terms : ' || ${TERM}`)} LIMIT ${COMMON + 1})) AS found
    FROM json_each(:terms)
  ), query AS MATERIALIZED (
    SELECT term, found, ${k1 + 1} * ln(1 + (texts - found + 0.5) / (found + 0.5)) AS weight, ${k1 * b} * texts / terms AS slope
    FROM counted CROSS JOIN millrace_corpora WHERE resource = ${OWNER_KEY}
  )`

const BEST_MESSAGES = `, best AS (SELECT key, score FROM scored ORDER BY score DESC, key DESC ${LIMIT})
  SELECT ${MESSAGE_COLUMNS}, best.score FROM best CROSS JOIN millrace_messages m ON m.key = best.key
  CROSS JOIN millrace_threads t ON t.key = m.thread ORDER BY best.score DESC, best.key DESC`

const BEST_OF_THREADS = `, ranked AS (
    SELECT key, thread, score, row_number() OVER (PARTITION BY thread ORDER BY score DESC, key DESC) AS place FROM scored
  )
  SELECT t.id AS threadId, m.id AS messageId, ranked.score FROM ranked
  CROSS JOIN millrace_messages m ON m.key = ranked.key CROSS JOIN millrace_threads t ON t.key = ranked.thread
  WHERE place = 1`

const SEARCH = textsOf({
  from: FIRST_KEY,
  scope: `coalesce((SELECT ${WITHIN_THREAD} AND message_count <= ${LONG_THREAD}), '')`,
  start: () => '',
  condition: `(found <= ${COMMON} OR scope.expression <> '')`,
})

const SEARCH_COMMON = textsOf({
  from: '(SELECT key FROM start)',
  scope: `coalesce((SELECT ${WITHIN_THREAD}), '')`,
  start: (found) => `, start AS MATERIALIZED (SELECT min(key) AS key FROM (
    SELECT millrace_words.rowid AS key ${found} ORDER BY millrace_words.rowid DESC LIMIT ${COMMON}))`,
  condition: 'true',
})

interface Search {
  /** The first message key to read. */
  from: string
  /** For a thread: the part of the expression before the terms. */
  scope: string
  /** The key to start from, among the messages with one of the terms. */
  start: (found: string) => string
  condition: string
}

function textsOf({ from, scope, start, condition }: Search): Texts {
  const toText = (
    within: string,
    { thread, filter, rank = BEST_MESSAGES }: { thread: string; filter: string; rank?: string },
  ): string => {
    const messages = filter === '' ? '' : 'CROSS JOIN millrace_messages m ON m.key = millrace_words.rowid'
    const any = `(SELECT scope.expression || 'terms : (' || group_concat(${TERM}, ' OR ') || ')'
      FROM scope CROSS JOIN json_each(:terms))`
    const found = `FROM millrace_words ${messages} WHERE ${matches(any)} ${filter}`
    return `WITH scope AS MATERIALIZED (SELECT ${within} AS expression), ${QUERY} ${start(found)}, scored AS (
        SELECT text.message AS key, text.thread AS thread,
          sum(weight / (1 + (${k1 * (1 - b)} + slope * text.length) / ${FREQUENCY})) AS score
        FROM scope CROSS JOIN query CROSS JOIN millrace_words
        CROSS JOIN millrace_texts text ON text.message = millrace_words.rowid ${messages}
        WHERE ${matches(`scope.expression || 'terms : "' || term || '"'`, { from })} AND ${condition} ${thread} ${filter}
        GROUP BY text.message
      ) ${rank}`
  }
  const textsWithin = (within: string, thread: string): readonly [string, string] => [
    toText(within, { thread, filter: '' }),
    toText(within, { thread, filter: `AND ${FILTER_CONDITION}` }),
  ]
  const visible = `AND text.thread NOT IN ${HIDDEN_THREADS}`
  return {
    threads: toText("''", { thread: visible, filter: '', rank: BEST_OF_THREADS }),
    resource: textsWithin("''", visible),
    thread: textsWithin(scope, `AND text.thread = ${THREAD_KEY}`),
  }
}
