import type { SQLiteConnection, Statement, WriteOptions } from './connection.ts'

/** Index pages written per transaction. */
const PAGES_PER_STEP = 64

/**
 * Rewrites the index without entries that are marked as deleted:
 * https://sqlite.org/fts5.html#the_merge_command. A dummy word is added and removed, so that there is
 * something to merge.
 */
export async function mergeIndex(connection: SQLiteConnection): Promise<void> {
  const word = [secureDelete(0), ...[ADD_WORD, WRITE_OUT, REMOVE_WORD].map((sql) => toStatement(sql))]
  await connection.write(word, REPEATABLE)
  for (let pages = -PAGES_PER_STEP; ; pages = PAGES_PER_STEP) {
    const merge = [toStatement(CHANGES), toStatement(MERGE, { pages }), toStatement(CHANGES)]
    const [before, , after] = await connection.write(merge, REPEATABLE)
    // The merge command itself counts as one change.
    if (Number(after?.[0]?.changes) - Number(before?.[0]?.changes) < 2) break
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await connection.write([secureDelete(1)], REPEATABLE)
}

const REPEATABLE: WriteOptions = { isRepeatable: true }

// No message has key 0.
const ADD_WORD = "INSERT INTO millrace_words (rowid, thread, terms) VALUES (0, '0', '0')"
const REMOVE_WORD =
  "INSERT INTO millrace_words (millrace_words, rowid, thread, terms) VALUES ('delete', 0, '0', '0')"

// Reading the vocabulary makes FTS5 flush its pending terms.
const WRITE_OUT = 'SELECT 1 FROM millrace_vocabulary LIMIT 1'

const CHANGES = 'SELECT total_changes() AS changes'

const MERGE = "INSERT INTO millrace_words (millrace_words, rank) VALUES ('merge', CAST(:pages AS INTEGER))"

/** Whether deleted words are removed from the index at once. */
export function secureDelete(isOn: 0 | 1): Statement {
  return toStatement(`INSERT INTO millrace_words (millrace_words, rank) VALUES ('secure-delete', ${isOn})`)
}

function toStatement(sql: string, parameters: Statement['parameters'] = {}): Statement {
  return { sql, parameters }
}
