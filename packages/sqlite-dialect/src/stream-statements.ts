import type { AppendToStreamColumns, StreamKeyColumns, StreamPart } from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'
import { LIMIT } from './limit.ts'

/** Each write also deletes up to this many expired streams. */
const MAX_EXPIRED_PER_WRITE = 20

const IS_STREAM = 'resource = :owner AND id = :id'

/**
 * The fourth statement returns a row if the chunks were added. The last one returns the stream, if it exists.
 */
export function appendToStream(columns: AppendToStreamColumns): Statement[] {
  const { owner, runId, threadId, offset, chunks, bytes, maxBytes, end, expiresAt } = columns
  const parameters = {
    owner,
    id: runId,
    thread: threadId ?? '',
    offset,
    count: chunks.length,
    chunks: JSON.stringify(chunks),
    bytes,
    maxBytes,
    ended: end ? 1 : 0,
    expiresAt,
    now: Date.now(),
  }
  return APPEND.map((sql) => ({ sql, parameters }))
}

const APPEND = [
  `DELETE FROM millrace_streams WHERE key IN (SELECT key FROM millrace_streams
    WHERE expires_at <= :now ORDER BY expires_at LIMIT ${MAX_EXPIRED_PER_WRITE})`,
  `DELETE FROM millrace_streams WHERE ${IS_STREAM} AND expires_at <= :now`,
  `INSERT INTO millrace_streams (resource, id, thread, expires_at)
    SELECT :owner, :id, :thread, :expiresAt WHERE :offset = 0 AND :bytes <= :maxBytes
    ON CONFLICT (resource, id) DO NOTHING`,
  `UPDATE millrace_streams SET length = length + :count, bytes = bytes + :bytes, ended = :ended, expires_at = :expiresAt
    WHERE ${IS_STREAM} AND length = :offset AND NOT ended AND bytes + :bytes <= :maxBytes RETURNING 1 AS isAdded`,
  // Only if the previous statement has updated the stream.
  `INSERT INTO millrace_stream_chunks (stream, place, chunk)
    SELECT s.key, :offset + c.key, c.value FROM millrace_streams s, json_each(:chunks) c
    WHERE s.resource = :owner AND s.id = :id AND changes() > 0`,
  `SELECT length, bytes, ended FROM millrace_streams WHERE ${IS_STREAM}`,
]

export function readStream({
  owner,
  runId,
  from,
  limit,
}: StreamKeyColumns & { from: number; limit: number }): Statement {
  return { sql: READ, parameters: { owner, id: runId, from, limit, now: Date.now() } }
}

const READ = `SELECT s.length, s.ended, c.chunk FROM millrace_streams s
  LEFT JOIN millrace_stream_chunks c ON c.stream = s.key AND c.place >= :from
  WHERE s.resource = :owner AND s.id = :id AND s.expires_at > :now ORDER BY c.place ${LIMIT}`

export function toStreamPart(rows: readonly Row[]): StreamPart | undefined {
  const [first] = rows
  if (!first) return undefined
  const chunks = rows.flatMap(({ chunk }) => (chunk === null ? [] : [chunk as string]))
  return { chunks, length: first.length as number, ended: first.ended === 1 }
}

/** The first statement returns a row if the stream existed. */
export function deleteStream({ owner, runId }: StreamKeyColumns): Statement {
  return { sql: DELETE, parameters: { owner, id: runId, now: Date.now() } }
}

const DELETE = `DELETE FROM millrace_streams WHERE ${IS_STREAM} RETURNING expires_at > :now AS wasThere`
