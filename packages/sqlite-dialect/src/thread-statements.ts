import type { Thread, ThreadChangeColumns, ThreadColumns, ThreadSearch } from '@millrace/core/storage'
import type { Row, SQLiteValue, Statement } from './connection.ts'
import { LIMIT } from './limit.ts'

/** The key of `:owner`. */
export const OWNER_KEY = '(SELECT key FROM millrace_resources WHERE id = :owner)'

/** The key of the thread `:thread` of `:owner`. Joining the two tables would take six times as long. */
export const THREAD_KEY: string = `(SELECT key FROM millrace_threads WHERE resource = ${OWNER_KEY} AND id = :thread)`

const THREAD_COLUMNS =
  'id, title, metadata, state, version, message_count AS messageCount, created_at AS createdAt, updated_at AS updatedAt'

interface ThreadRow {
  id: string
  title: string | null
  metadata: string
  state: string
  version: number
  messageCount: number
  createdAt: number
  updatedAt: number
}

export function toThread(row: Row, owner: string): Thread {
  const { title, metadata, state, createdAt, updatedAt, ...rest } = row as unknown as ThreadRow
  return {
    id: rest.id,
    ...(owner !== '' && { resourceId: owner }),
    ...(title !== null && { title }),
    metadata: JSON.parse(metadata),
    state: JSON.parse(state),
    version: rest.version,
    messageCount: rest.messageCount,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}

export function getThread({ owner, threadId }: ThreadColumns): Statement {
  return { sql: GET_THREAD, parameters: { owner, thread: threadId } }
}

const GET_THREAD = `SELECT ${THREAD_COLUMNS} FROM millrace_threads WHERE resource = ${OWNER_KEY} AND id = :thread`

/**
 * Reserves the next positions of a resource, which is created if it does not exist. Later statements count
 * back from the last position.
 */
export function reservePositions(owner: string, count: number): Statement {
  return { sql: RESERVE_POSITIONS, parameters: { owner, count } }
}

const RESERVE_POSITIONS = `INSERT INTO millrace_resources (id, last_place) VALUES (:owner, :count)
  ON CONFLICT (id) DO UPDATE SET last_place = last_place + excluded.last_place`

export interface ThreadUpsert extends ThreadColumns, ThreadChangeColumns {
  state?: string | undefined
  ifVersion?: number | undefined
  /** Whether to increment the version of an existing thread. */
  isNewVersion: boolean
}

/**
 * Inserts or updates a thread at the last reserved position. Returns no row if the thread does not have the
 * version `ifVersion`.
 */
export function upsertThread(options: ThreadUpsert): Statement {
  const { owner, threadId, title, metadata, state, ifVersion, isNewVersion } = options
  const parameters: Record<string, SQLiteValue> = {
    owner,
    thread: threadId,
    hasTitle: title === undefined ? 0 : 1,
    title: title ?? null,
    metadata: metadata ?? null,
    state: state ?? null,
    ifVersion: ifVersion ?? null,
    newVersions: isNewVersion ? 1 : 0,
    now: Date.now(),
  }
  return { sql: UPSERT_THREAD, parameters }
}

const UPSERT_THREAD = `INSERT INTO millrace_threads
    (resource, id, title, metadata, state, changed, created, created_at, updated_at)
  SELECT key, :thread, :title, coalesce(:metadata, '{}'), coalesce(:state, '{}'), last_place, last_place, :now, :now
  FROM millrace_resources r WHERE id = :owner AND (:ifVersion IS NULL OR :ifVersion =
    coalesce((SELECT version FROM millrace_threads t WHERE t.resource = r.key AND t.id = :thread), 0))
  ON CONFLICT (resource, id) DO UPDATE SET
    title = CASE WHEN :hasTitle THEN excluded.title ELSE title END,
    metadata = coalesce(:metadata, metadata),
    state = coalesce(:state, state),
    version = version + :newVersions,
    changed = excluded.changed,
    updated_at = excluded.updated_at
  RETURNING ${THREAD_COLUMNS}`

export function listThreads(options: {
  owner: string
  orderBy: 'updatedAt' | 'createdAt'
  limit: number
  after: number | undefined
}): Statement {
  const { owner, orderBy, limit, after = Number.MAX_SAFE_INTEGER } = options
  return { sql: LIST_THREADS[orderBy], parameters: { owner, after, limit: limit + 1 } }
}

const LIST_THREADS = { updatedAt: listThreadsBy('changed'), createdAt: listThreadsBy('created') }

function listThreadsBy(place: 'changed' | 'created'): string {
  return `SELECT ${THREAD_COLUMNS}, ${place} AS place FROM millrace_threads
    WHERE resource = ${OWNER_KEY} AND ${place} < :after
    ORDER BY ${place} DESC ${LIMIT}`
}

/** The columns that a search needs, of all threads of a resource. */
export function threadsToSearch({ owner, metadata }: ThreadSearch): Statement {
  return { sql: THREADS_TO_SEARCH, parameters: { owner, withMetadata: metadata.length > 0 ? 1 : 0 } }
}

const THREADS_TO_SEARCH = `SELECT id, title, CASE WHEN :withMetadata THEN metadata ELSE '{}' END AS metadata, changed
  FROM millrace_threads WHERE resource = ${OWNER_KEY}`

export function getThreads({ owner, ids }: { owner: string; ids: readonly string[] }): Statement {
  return { sql: GET_THREADS, parameters: { owner, ids: JSON.stringify(ids) } }
}

const GET_THREADS = `SELECT ${THREAD_COLUMNS} FROM millrace_threads
  WHERE resource = ${OWNER_KEY} AND id IN (SELECT value FROM json_each(:ids))`

/** Hides a thread and its messages. The last statement returns its key, if it existed. */
export function hideThread({ owner, threadId }: ThreadColumns): Statement[] {
  const parameters = { owner, thread: threadId }
  return HIDE_THREAD.map((sql) => ({ sql, parameters }))
}

const HIDE_THREAD = [
  'DELETE FROM millrace_runs WHERE resource = :owner AND thread = :thread',
  'DELETE FROM millrace_streams WHERE resource = :owner AND thread = :thread',
  `UPDATE millrace_threads SET resource = 0, id = key, title = NULL, metadata = '{}', state = '{}'
    WHERE key = ${THREAD_KEY} RETURNING key`,
]

/** Hidden threads, which are erased in the background. There is no resource 0. */
export const HIDDEN_THREADS = '(SELECT key FROM millrace_threads WHERE resource = 0)'
