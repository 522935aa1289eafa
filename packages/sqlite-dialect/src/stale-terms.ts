import type { SQLiteConnection, WriteOptions } from './connection.ts'

// The FTS5 index is a list of pages, with a lookup table of the first term of each page, or the shortest
// prefix that differs from the term before. If a deletion removes the first term of a page, its copy stays in
// the lookup table until the page is rewritten together with its neighbors, which takes time in proportion to
// the file size. Format: https://sqlite.org/fts5.html#fts5_data_structures.

/**
 * Removes terms that no message contains from the lookup table. Returns `false` if some remain: then the
 * index must be rewritten.
 */
export async function removeStaleTerms(
  connection: SQLiteConnection,
  words: readonly string[],
): Promise<boolean> {
  const find = { sql: FIND_STALE, parameters: { words: JSON.stringify(words) } }
  if ((await connection.read(find)).length === 0) return true
  if (!(await isEditable(connection))) return false
  const [, left] = await connection.write([{ ...find, sql: REPLACE_STALE }, find], EDITS_INDEX)
  return left?.length === 0
}

const EDITS_INDEX: WriteOptions = { isRepeatable: true, editsIndex: true }

const editable = new WeakMap<SQLiteConnection, boolean>()

/** In a defensive database, only FTS5 itself can write to its tables. */
async function isEditable(connection: SQLiteConnection): Promise<boolean> {
  const known = editable.get(connection)
  if (known !== undefined) return known
  let found = true
  try {
    await connection.write([{ sql: EDIT_NOTHING, parameters: {} }], EDITS_INDEX)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'STORAGE_FAILED') throw error
    found = false
  }
  editable.set(connection, found)
  return found
}

const EDIT_NOTHING = 'UPDATE millrace_words_idx SET term = term WHERE segid < 0'

/**
 * Entries of the lookup table for `:words`, each with the next term that a message contains. That term is a
 * valid replacement, because no message has a term between the two. An entry that is still the first term of
 * its page is skipped. A short term can match by chance.
 */
const STALE_TERMS = `WITH RECURSIVE segments (segid) AS (
    SELECT min(segid) FROM millrace_words_idx
    UNION ALL SELECT (SELECT min(segid) FROM millrace_words_idx i WHERE i.segid > segments.segid)
      FROM segments WHERE segid IS NOT NULL
  ), words AS MATERIALIZED (
    SELECT CAST('0' || value AS BLOB) AS word FROM json_each(:words)
  ), before AS MATERIALIZED (
    SELECT segid, word, (SELECT max(term) FROM millrace_words_idx i
      WHERE i.segid = segments.segid AND i.term <= word) AS term
    FROM segments CROSS JOIN words WHERE segid IS NOT NULL
  ), held AS MATERIALIZED (
    SELECT DISTINCT i.segid, i.term, i.pgno >> 1 AS page FROM before CROSS JOIN millrace_words_idx i
    ON i.segid = before.segid AND i.term = before.term
    WHERE length(i.term) > 1 AND i.term = substr(word, 1, length(i.term))
  ), lost AS MATERIALIZED (
    SELECT segid, term, CAST(substr(term, 2) AS TEXT) AS start FROM held WHERE length(term) < 5
      OR coalesce(instr((SELECT block FROM millrace_words_data WHERE id = segid << 37 | page), term), 0) = 0
  ), starts AS MATERIALIZED (
    SELECT start, (SELECT v.term FROM millrace_vocabulary v WHERE v.term >= start ORDER BY v.term LIMIT 1) AS next
    FROM (SELECT DISTINCT start FROM lost)
  ), left_over AS MATERIALIZED (
    SELECT segid, term, CAST('0' || next AS BLOB) AS next FROM lost JOIN starts USING (start)
    WHERE next IS NULL OR substr(CAST(next AS BLOB), 1, length(term) - 1) <> substr(term, 2)
  )`

const FIND_STALE = `${STALE_TERMS} SELECT 1 FROM left_over LIMIT 1`

// Checks the order of the table again, because the index may have changed in the meantime.
const REPLACE_STALE = `${STALE_TERMS} UPDATE millrace_words_idx AS held SET term = next FROM left_over
  WHERE held.segid = left_over.segid AND held.term = left_over.term AND next > held.term
    AND NOT EXISTS (SELECT 1 FROM millrace_words_idx i
      WHERE i.segid = held.segid AND i.term > left_over.term AND i.term <= next)`
