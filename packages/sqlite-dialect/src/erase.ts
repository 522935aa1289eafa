import type { Row, SQLiteConnection, Statement, WriteOptions } from './connection.ts'
import { mergeIndex, secureDelete } from './merge-index.ts'
import { removeStaleTerms } from './stale-terms.ts'

// A deletion has two phases. The first is one transaction that hides the data: a thread moves to resource 0,
// a resource gets an id that no caller can use, single messages are deleted from their table. The second
// phase erases rows and index terms from the file, in slices, so that other calls can run in between. If the
// process crashes, the list of what remains is in the file, and the next process that opens the file
// continues.
//
// `millrace_erased` lists messages whose row is deleted. `indexed`: terms that are still in the index.
// `words`: terms that the index may still contain a trace of.

/** What to erase: all that remains of a hidden thread or resource, or messages that a thread has lost. */
export interface Erasure {
  readonly kind: 'thread' | 'resource'
  readonly key: number
  /** Whether to truncate the WAL as well. Default: `true`. */
  readonly purges?: boolean
}

/** Messages deleted per transaction, and their maximum size in bytes. */
const MESSAGES_PER_SLICE = 200
const BYTES_PER_SLICE = 1_000_000

/** Characters of terms removed from the index per transaction: about 400 terms, at 25 to 50 µs each. */
const CHARACTERS_PER_SLICE = 2_500

/** Words checked for traces per transaction, at 20 µs each. */
const WORDS_PER_SLICE = 400

/** Thread rows deleted per transaction. */
const THREADS_PER_SLICE = 500

// By default, FTS5 only marks the words of a deleted message, and keeps them until it merges the segments
// that contain them. With the option secure-delete it removes each word at once, which is cheaper for a few
// messages. For many messages it is cheaper to mark them and to rewrite the whole index.

/** Rewriting this many pages of the index takes as long as removing the words of one message. */
const PAGES_PER_MESSAGE = 20

/** Up to this many messages, the index is never rewritten. */
const MIN_REWRITE_MESSAGES = 20

/** Maximum number of messages counted for this decision. */
const MAX_COUNTED_MESSAGES = 100_000

/** Erases from the file what a deletion has hidden. Can be called repeatedly and concurrently. */
export async function erase(connection: SQLiteConnection, erasure: Erasure): Promise<void> {
  const rewrites = await isRewriteCheaper(connection, erasure)
  if (rewrites) await connection.write([secureDelete(0)], REPEATABLE)
  do await eraseWords(connection, { erasure, rewrites })
  while (await deleteMessages(connection, erasure))
  await deleteHidden(connection, erasure)
  // If secure-delete is off, another process has not finished its rewrite.
  if (rewrites || !(await isSecure(connection))) await mergeIndex(connection)
  if (erasure.purges !== false) await connection.purge()
}

/** Erasures that crashed processes have left unfinished. */
export async function findErasures(connection: SQLiteConnection): Promise<Erasure[]> {
  const rows = await connection.read(toStatement(FIND_ERASURES))
  return rows.map(({ kind, key }) => ({ kind, key }) as Erasure)
}

const FIND_ERASURES = `SELECT 'thread' AS kind, key FROM millrace_threads WHERE resource = 0
  UNION ALL SELECT 'resource', key FROM millrace_resources WHERE id >= char(0) AND id < char(1)
  UNION SELECT 'thread', thread FROM millrace_erased
  UNION ALL SELECT 'thread', 0 FROM millrace_words_config WHERE k = 'secure-delete' AND v = 0`

/** Selects the keys in `:messages`. */
const MESSAGES = '(SELECT CAST(value AS INTEGER) FROM json_each(:messages))'

/** Conditions on `millrace_erased`. */
const LISTED_MESSAGES = {
  thread: 'thread = :key',
  resource: 'message BETWEEN :key << 32 AND :key << 32 | 4294967295',
}

/** Conditions on `millrace_messages`, for the remaining messages of hidden data. */
const REMAINING_MESSAGES = {
  thread: 'thread = :key AND EXISTS (SELECT 1 FROM millrace_threads WHERE key = :key AND resource = 0)',
  resource: 'key BETWEEN :key << 32 AND :key << 32 | 4294967295',
}

async function isRewriteCheaper(connection: SQLiteConnection, { kind, key }: Erasure): Promise<boolean> {
  const count = `SELECT (SELECT count(*) FROM (SELECT 1 FROM millrace_messages WHERE ${REMAINING_MESSAGES[kind]} LIMIT ${MAX_COUNTED_MESSAGES}))
    + (SELECT count(*) FROM millrace_erased WHERE ${LISTED_MESSAGES[kind]} AND indexed IS NOT NULL) AS count`
  const messages = await countOf(connection, toStatement(count, { key }))
  if (messages <= MIN_REWRITE_MESSAGES) return false
  const most = messages * PAGES_PER_MESSAGE
  return (await countOf(connection, toStatement(COUNT_PAGES, { most }))) < most
}

const COUNT_PAGES = 'SELECT count(*) AS count FROM (SELECT 1 FROM millrace_words_idx LIMIT :most)'

async function countOf(connection: SQLiteConnection, statement: Statement): Promise<number> {
  return Number((await connection.read(statement))[0]?.count)
}

async function isSecure(connection: SQLiteConnection): Promise<boolean> {
  const sql = "SELECT v AS isSecure FROM millrace_words_config WHERE k = 'secure-delete'"
  return Number((await connection.read(toStatement(sql)))[0]?.isSecure) === 1
}

/** Deletes some messages of hidden data and adds their words to the list. Returns whether there were any. */
async function deleteMessages(connection: SQLiteConnection, { kind, key }: Erasure): Promise<boolean> {
  const sql = `SELECT CAST(key AS TEXT) AS message, octet_length(content) +
      (SELECT coalesce(sum(octet_length(data)), 0) FROM millrace_blobs WHERE message = m.key) AS size FROM millrace_messages m
    WHERE ${REMAINING_MESSAGES[kind]} ORDER BY m.key LIMIT ${MESSAGES_PER_SLICE}`
  const slice = sliceOf(await connection.read(toStatement(sql, { key })), BYTES_PER_SLICE)
  if (slice.length === 0) return false
  const parameters = { key, messages: messagesOf(slice) }
  const text = `DELETE FROM millrace_messages WHERE key IN ${MESSAGES} AND ${REMAINING_MESSAGES[kind]}`
  await connection.write([toStatement(text, parameters)], REPEATABLE)
  await pause()
  return true
}

/** Removes the listed terms from the index, then their remaining traces. */
async function eraseWords(
  connection: SQLiteConnection,
  { erasure: { kind, key }, rewrites }: { erasure: Erasure; rewrites: boolean },
): Promise<void> {
  const listed = `FROM millrace_erased WHERE ${LISTED_MESSAGES[kind]}`
  for (;;) {
    const sql = `SELECT CAST(message AS TEXT) AS message, length(indexed) AS size ${listed} AND indexed IS NOT NULL
      ORDER BY millrace_erased.message LIMIT ${MESSAGES_PER_SLICE}`
    const slice = sliceOf(await connection.read(toStatement(sql, { key })), CHARACTERS_PER_SLICE)
    if (slice.length === 0) break
    const messages = messagesOf(slice)
    await connection.write(
      REMOVE_TERMS.map((text) => toStatement(text, { messages })),
      REPEATABLE,
    )
    await pause()
  }
  const rows = await connection.read(
    toStatement(`SELECT CAST(message AS TEXT) AS message, words ${listed}`, { key }),
  )
  if (rows.length === 0) return
  if (!rewrites) await removeTraces(connection, wordsOf(rows))
  const entries = JSON.stringify(rows.map(({ message, words }) => [message, words]))
  await connection.write([toStatement(REMOVE_FROM_LIST, { entries })], REPEATABLE)
}

async function removeTraces(connection: SQLiteConnection, words: readonly string[]): Promise<void> {
  for (let start = 0; start < words.length; start += WORDS_PER_SLICE) {
    if (start > 0) await pause()
    // A rewritten index contains no traces of the other words either.
    if (!(await removeStaleTerms(connection, words.slice(start, start + WORDS_PER_SLICE)))) {
      return mergeIndex(connection)
    }
  }
}

function wordsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(({ words }) => String(words).split(' ')))].sort()
}

// Message keys can exceed the safe integers of JavaScript, so they are passed as text.
function messagesOf(rows: readonly Row[]): string {
  return JSON.stringify(rows.map(({ message }) => message))
}

const REMOVE_TERMS = [
  `INSERT INTO millrace_words (millrace_words, rowid, thread, terms)
    SELECT 'delete', message, thread, indexed FROM millrace_erased
    WHERE message IN ${MESSAGES} AND indexed IS NOT NULL`,
  `UPDATE millrace_erased SET indexed = NULL WHERE message IN ${MESSAGES}`,
]

// A message that was replaced in the meantime has other words.
const REMOVE_FROM_LIST = `DELETE FROM millrace_erased WHERE indexed IS NULL
  AND (message, words) IN (SELECT CAST(value ->> 0 AS INTEGER), value ->> 1 FROM json_each(:entries))`

/** Deletes the rows of hidden threads and resources, after their messages are gone. */
async function deleteHidden(connection: SQLiteConnection, { kind, key }: Erasure): Promise<void> {
  const parameters = { key }
  for (; kind === 'resource'; await pause()) {
    const [, count] = await connection.write(
      DELETE_THREADS.map((sql) => toStatement(sql, parameters)),
      REPEATABLE,
    )
    if (Number(count?.[0]?.count) < THREADS_PER_SLICE) break
  }
  await connection.write(
    DELETE_HIDDEN[kind].map((sql) => toStatement(sql, parameters)),
    REPEATABLE,
  )
}

const DELETE_THREADS = [
  `DELETE FROM millrace_threads WHERE key IN
    (SELECT key FROM millrace_threads WHERE resource = :key LIMIT ${THREADS_PER_SLICE})`,
  'SELECT changes() AS count',
]

const DELETE_HIDDEN = {
  thread: ['DELETE FROM millrace_threads WHERE key = :key AND resource = 0'],
  resource: [
    'DELETE FROM millrace_models WHERE resource = :key',
    'DELETE FROM millrace_corpora WHERE resource = :key',
    'DELETE FROM millrace_resources WHERE key = :key',
  ],
}

/** The first rows, up to `most` bytes together, but at least one. */
function sliceOf(rows: readonly Row[], most: number): Row[] {
  let sum = 0
  let count = 0
  for (const { size } of rows) {
    sum += Number(size)
    if (count > 0 && sum > most) break
    count++
  }
  return rows.slice(0, count)
}

/** Yields to the event loop. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

const REPEATABLE: WriteOptions = { isRepeatable: true }

function toStatement(sql: string, parameters: Statement['parameters'] = {}): Statement {
  return { sql, parameters }
}
