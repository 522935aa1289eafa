import type { Row, SQLiteConnection, Statement, WriteOptions } from './connection.ts'

// FTS5 keeps the words of a deleted message, marked as deleted, until it happens to merge the parts of the index they are
// in. With its option secure-delete it takes each word out at once, which is right for a few messages. For many, it is
// shorter to mark them and to write the whole index anew, in steps, so that others get their turn.

/** So many pages of the index are written anew in the time in which the words of one message are taken out. */
const PAGES_PER_MESSAGE = 20

/** Pages of the index that are written in one transaction. */
const PAGES_PER_STEP = 128

/** So few messages are never a reason to write the index anew. */
const FEW_MESSAGES = 20

export interface Deletion {
  readonly statements: readonly Statement[]
  /** Which of `millrace_messages` they delete: a condition. */
  readonly messages: Statement
  /** They delete nothing else: where there are no such messages, there is nothing to purge. */
  readonly isOfMessages?: boolean
}

/** Carries out a deletion so that nothing of it stays in the index or its file, and returns the rows of each statement. */
export async function erase(
  connection: SQLiteConnection,
  { statements, messages, isOfMessages = false }: Deletion,
  options: WriteOptions,
): Promise<Row[][]> {
  const { sql: condition, parameters } = messages
  const from = `FROM millrace_messages WHERE ${condition}`
  const [counted] = await connection.read({ sql: `SELECT count(*) AS count ${from}`, parameters })
  const { count } = counted as { count: number }
  // A turn that is saved asks to delete what followed its message, and mostly nothing did.
  if (count === 0 && isOfMessages) return connection.write(statements, options)
  const [index] = await connection.read({ sql: READ_INDEX, parameters: {} })
  const { pages, isSecure } = index as { pages: number; isSecure: number }
  let rows: Row[][]
  if (count > FEW_MESSAGES && count * PAGES_PER_MESSAGE > pages) {
    rows = (await connection.write([secureDelete(0), ...statements], options)).slice(1)
    await mergeIndex(connection)
  } else {
    const terms = count > 0 ? await connection.read({ sql: `SELECT terms ${from}`, parameters }) : []
    rows = await connection.write(statements, options)
    // Where the option is off, somebody has not come to the end.
    if (isSecure !== 1 || (await isLeftOver(connection, terms))) await mergeIndex(connection)
  }
  await connection.purge()
  return rows
}

const READ_INDEX = `SELECT (SELECT count(*) FROM millrace_words_idx) AS pages,
  (SELECT v FROM millrace_words_config WHERE k = 'secure-delete') AS isSecure`

/**
 * The first words of the index's pages, or as much of them as tells them from the word before, are in a table of their
 * own, where FTS5 leaves them. Whether one of them belongs to no other message.
 */
async function isLeftOver(connection: SQLiteConnection, rows: readonly Row[]): Promise<boolean> {
  const terms = new Set(rows.flatMap((row) => (typeof row.terms === 'string' ? row.terms.split(' ') : [])))
  if (terms.size === 0) return false
  const parameters = { terms: JSON.stringify([...terms]) }
  return (await connection.read({ sql: FIND_LEFT_OVER, parameters })).length > 0
}

const FIND_LEFT_OVER = `WITH segments AS (SELECT DISTINCT segid FROM millrace_words_idx),
  words AS (SELECT CAST('0' || value AS BLOB) AS word FROM json_each(:terms)),
  before AS (SELECT word, (SELECT max(term) FROM millrace_words_idx i
    WHERE i.segid = segments.segid AND i.term <= word) AS term FROM words CROSS JOIN segments)
  SELECT 1 FROM before WHERE length(term) > 1 AND term = substr(word, 1, length(term)) AND NOT EXISTS (
    SELECT 1 FROM millrace_words WHERE millrace_words MATCH
      'terms : "' || CAST(substr(before.term, 2) AS TEXT) || '" *' LIMIT 1) LIMIT 1`

/**
 * Writes the index anew without what is marked as deleted: https://sqlite.org/fts5.html#the_merge_command. A word that
 * comes and goes makes sure that there is something to merge.
 */
async function mergeIndex(connection: SQLiteConnection): Promise<void> {
  await connection.write([secureDelete(0), toStatement(ADD_WORD)], REPEATABLE)
  await connection.write([toStatement(REMOVE_WORD)], REPEATABLE)
  for (let pages = -PAGES_PER_STEP; ; pages = PAGES_PER_STEP) {
    const merge = [toStatement(CHANGES), toStatement(MERGE, { pages }), toStatement(CHANGES)]
    const [before, , after] = await connection.write(merge, REPEATABLE)
    // The command itself counts as one change.
    if (Number(after?.[0]?.changes) - Number(before?.[0]?.changes) < 2) break
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await connection.write([secureDelete(1)], REPEATABLE)
}

const REPEATABLE: WriteOptions = { isRepeatable: true }

// No message has the key 0.
const ADD_WORD = "INSERT INTO millrace_words (rowid, thread, terms) VALUES (0, '0', '0')"
const REMOVE_WORD =
  "INSERT INTO millrace_words (millrace_words, rowid, thread, terms) VALUES ('delete', 0, '0', '0')"

const CHANGES = 'SELECT total_changes() AS changes'

const MERGE = "INSERT INTO millrace_words (millrace_words, rank) VALUES ('merge', CAST(:pages AS INTEGER))"

function secureDelete(isOn: 0 | 1): Statement {
  return toStatement(`INSERT INTO millrace_words (millrace_words, rank) VALUES ('secure-delete', ${isOn})`)
}

function toStatement(sql: string, parameters: Statement['parameters'] = {}): Statement {
  return { sql, parameters }
}
