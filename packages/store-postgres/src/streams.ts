import {
  type AppendToStreamOptions,
  parseAppendToStream,
  parseReadStream,
  parseStreamKey,
  type ReadStreamOptions,
  type StreamKey,
  type StreamLimits,
  type StreamPart,
  streamMoved,
  streamTooLarge,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import type { Row, Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

export async function appendToStream(
  { transaction, tables }: Database,
  options: AppendToStreamOptions,
  limits: StreamLimits,
): Promise<void> {
  const columns = parseAppendToStream(options, limits)
  const { owner, runId, threadId = null, offset, chunks, bytes, maxBytes, end, expiresAt } = columns
  const now = Date.now()
  await transaction(async (sql) => {
    // Each write also deletes some expired streams, and always an expired one with the same id.
    const expired = await sql(
      `DELETE FROM ${tables.streams} WHERE key IN (
         SELECT key FROM ${tables.streams} WHERE expires_at <= $1
         ORDER BY (owner = $2 AND id = $3) DESC LIMIT 8 FOR UPDATE SKIP LOCKED
       ) RETURNING key`,
      [now, owner, runId],
    )
    await deleteChunks(sql, { tables, streams: expired })
    if (offset === 0) {
      await sql(
        `INSERT INTO ${tables.streams} (owner, id, thread_id, expires_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
        [owner, runId, threadId, expiresAt],
      )
    }
    // If two calls append at the same offset, one waits for the other, and then finds a different length.
    const [added] = await sql(
      `UPDATE ${tables.streams} SET length = length + $3, bytes = bytes + $4, ended = $5, expires_at = $6
       WHERE owner = $1 AND id = $2 AND length = $7 AND NOT ended AND bytes + $4 <= $8 AND expires_at > $9
       RETURNING key`,
      [owner, runId, chunks.length, bytes, end, expiresAt, offset, maxBytes, now],
    )
    if (!added) {
      const [found] = await sql(
        `SELECT length, bytes, ended FROM ${tables.streams} WHERE owner = $1 AND id = $2 AND expires_at > $3`,
        [owner, runId, now],
      )
      const length = Number(found?.length ?? 0)
      const ended = found?.ended === true
      if (length !== offset || ended || !found) throw streamMoved(offset, { length, ended })
      throw streamTooLarge(Number(found.bytes) + bytes, maxBytes)
    }
    await sql(
      `INSERT INTO ${tables.streamChunks} (stream, place, chunk)
       SELECT $1, $2::bigint + position - 1, chunk
       FROM json_array_elements_text($3::json) WITH ORDINALITY AS chunks (chunk, position)`,
      [Number(added.key), offset, JSON.stringify(chunks)],
    )
  })
}

export async function readStream(
  { read, tables }: Database,
  options: ReadStreamOptions,
): Promise<StreamPart | undefined> {
  const { owner, runId, from, limit } = parseReadStream(options)
  const rows = await read(
    `SELECT length, ended, ${textColumn('chunk', { name: 'chunk' })} FROM ${tables.streams}
     LEFT JOIN ${tables.streamChunks} ON stream = key AND place >= $3
     WHERE owner = $1 AND id = $2 AND expires_at > $4 ORDER BY place LIMIT $5`,
    [owner, runId, from, Date.now(), limit],
  )
  const [first] = rows
  if (!first) return undefined
  const chunks = rows.flatMap(({ chunk }) => (chunk === null ? [] : [fromTextColumn(chunk)]))
  return { chunks, length: Number(first.length), ended: first.ended === true }
}

export async function deleteStream({ transaction, tables }: Database, key: StreamKey): Promise<boolean> {
  const { owner, runId } = parseStreamKey(key)
  return transaction(async (sql) => {
    const streams = await sql(
      `DELETE FROM ${tables.streams} WHERE owner = $1 AND id = $2 RETURNING key, expires_at > $3 AS valid`,
      [owner, runId, Date.now()],
    )
    await deleteChunks(sql, { tables, streams })
    return streams[0]?.valid === true
  })
}

/** Deletes the streams of an owner, or of one of its threads. */
export async function deleteStreams(
  sql: Sql,
  { tables, owner, threadId }: { tables: Tables; owner: string; threadId?: string },
): Promise<void> {
  const streams = await sql(
    `DELETE FROM ${tables.streams} WHERE owner = $1 AND ($2::text IS NULL OR thread_id = $2) RETURNING key`,
    [owner, threadId ?? null],
  )
  await deleteChunks(sql, { tables, streams })
}

/**
 * Runs as a separate statement after the stream rows are locked, so that it sees all chunks that were added
 * until then.
 */
async function deleteChunks(
  sql: Sql,
  { tables, streams }: { tables: Tables; streams: readonly Row[] },
): Promise<void> {
  if (streams.length === 0) return
  const keys = `{${streams.map(({ key }) => Number(key)).join(',')}}`
  await sql(`DELETE FROM ${tables.streamChunks} WHERE stream = ANY ($1::text::bigint[])`, [keys])
}
