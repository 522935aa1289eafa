import {
  conflict,
  type ListThreadsOptions,
  type Page,
  parseListThreads,
  parseSaveThread,
  parseThreadKey,
  type SaveThreadOptions,
  type Thread,
  type ThreadColumns,
  type ThreadKey,
  toPage,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import type { Row, Sql } from './postgres-pool.ts'
import { deleteRuns } from './runs.ts'
import { deleteStreams } from './streams.ts'
import type { Tables } from './tables.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

export async function getThread({ read, tables }: Database, key: ThreadKey): Promise<Thread | undefined> {
  const { owner, threadId } = parseThreadKey(key)
  const [row] = await read(`SELECT ${THREAD_COLUMNS} FROM ${tables.threads} WHERE owner = $1 AND id = $2`, [
    owner,
    threadId,
  ])
  return row && toThread(row, owner)
}

export async function saveThread(
  { write, read, tables }: Database,
  options: SaveThreadOptions,
): Promise<Thread> {
  const { owner, threadId, title, metadata, state, ifVersion } = parseSaveThread(options)
  const changes = `
      title = CASE WHEN $4 THEN $3 ELSE thread.title END,
      metadata = coalesce($5, thread.metadata),
      state = coalesce($6, thread.state),
      version = thread.version + 1,
      changed = nextval('${tables.changes}'),
      updated_at = $7`
  // Version 0 means that the thread does not exist: there is nothing to update, so only an insert is tried.
  const statement =
    ifVersion === undefined || ifVersion === 0
      ? `INSERT INTO ${tables.threads} AS thread
           (owner, id, title, metadata, state, version, changed, created_at, updated_at)
         VALUES ($1, $2, $3, coalesce($5, '{}'), coalesce($6, '{}'), 1, nextval('${tables.changes}'), $7, $7)
         ON CONFLICT (owner, id) DO UPDATE SET ${changes} WHERE $8::bigint IS NULL`
      : `UPDATE ${tables.threads} AS thread SET ${changes} WHERE owner = $1 AND id = $2 AND version = $8::bigint`
  const [row] = await write(`${statement} RETURNING ${THREAD_COLUMNS}`, [
    owner,
    threadId,
    title ?? null,
    title !== undefined,
    metadata ?? null,
    state ?? null,
    Date.now(),
    ifVersion ?? null,
  ])
  if (row) return toThread(row, owner)
  const [other] = await read(`SELECT version FROM ${tables.threads} WHERE owner = $1 AND id = $2`, [
    owner,
    threadId,
  ])
  throw conflict('thread', { expected: ifVersion ?? 0, found: Number(other?.version ?? 0) })
}

export async function listThreads(
  { read, tables }: Database,
  options: ListThreadsOptions,
): Promise<Page<Thread>> {
  const { owner, orderBy, limit, after } = parseListThreads(options)
  const column = orderBy === 'createdAt' ? 'key' : 'changed'
  const rows = await read(
    `SELECT ${THREAD_COLUMNS} FROM ${tables.threads} WHERE owner = $1 AND ${column} < $2 ORDER BY ${column} DESC LIMIT $3`,
    [owner, after ?? Number.MAX_SAFE_INTEGER, limit + 1],
  )
  return toPage(rows, { limit, item: (row) => toThread(row, owner), place: (row) => Number(row[column]) })
}

export async function deleteThread({ transaction, tables }: Database, key: ThreadKey): Promise<boolean> {
  const { owner, threadId } = parseThreadKey(key)
  return transaction(async (sql) => {
    const threads = await sql(`DELETE FROM ${tables.threads} WHERE owner = $1 AND id = $2 RETURNING key`, [
      owner,
      threadId,
    ])
    await deleteRuns(sql, { tables, owner, threadId })
    await deleteStreams(sql, { tables, owner, threadId })
    await deleteMessagesOf(sql, { tables, threads })
    return threads.length > 0
  })
}

/**
 * Deletes the messages and vectors of deleted threads. This must be a separate statement after the thread
 * rows are locked, so that it sees messages saved until then. It selects by thread key, so no other rows are
 * scanned.
 */
export async function deleteMessagesOf(
  sql: Sql,
  { tables, threads }: { tables: Tables; threads: readonly Row[] },
): Promise<void> {
  if (threads.length === 0) return
  const keys = `{${threads.map(({ key }) => Number(key)).join(',')}}`
  await sql(
    `WITH gone AS MATERIALIZED (
       SELECT key FROM ${tables.messages} WHERE thread_key = ANY ($1::text::bigint[])
     ), vectors AS (
       DELETE FROM ${tables.vectors} WHERE message_key = ANY (ARRAY(SELECT key FROM gone))
     ), blobs AS (
       DELETE FROM ${tables.blobs} WHERE message_key = ANY (ARRAY(SELECT key FROM gone))
     )
     DELETE FROM ${tables.messages} WHERE key = ANY (ARRAY(SELECT key FROM gone))`,
    [keys],
  )
}

/**
 * Locks the thread until the transaction ends, so that its messages are committed in the order of their
 * sequence numbers. Anything that must be read under the lock needs a separate statement: this one sees the
 * state before it waited.
 */
export async function lockThread(
  sql: Sql,
  { tables, owner, threadId }: ThreadColumns & { tables: Tables },
): Promise<Row | undefined> {
  const [row] = await sql(
    `SELECT key, last_sequence, version FROM ${tables.threads} WHERE owner = $1 AND id = $2 FOR UPDATE`,
    [owner, threadId],
  )
  return row
}

/** The columns that {@link toThread} needs. */
export const THREAD_COLUMNS: string = `key, changed, ${textColumn('id', { name: 'id' })},
  ${textColumn('title', { name: 'title' })}, metadata, state, version, message_count, created_at, updated_at`

export function toThread(row: Row, owner: string): Thread {
  return {
    id: fromTextColumn(row.id),
    ...(owner !== '' && { resourceId: owner }),
    ...(row.title !== null && { title: fromTextColumn(row.title) }),
    metadata: JSON.parse(String(row.metadata)),
    state: JSON.parse(String(row.state)),
    version: Number(row.version),
    messageCount: Number(row.message_count),
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
  }
}
