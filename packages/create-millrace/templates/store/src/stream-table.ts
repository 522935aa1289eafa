import * as store from '@millrace/core/storage'
import type { Database } from './database.ts'

/** Streams of runs, with one row per chunk. Deleting a stream, or its expiry, deletes its chunks. */
export class StreamTable implements store.StreamStore {
  readonly #database: Database
  readonly #limits: store.StreamLimits

  constructor(database: Database, limits: store.StreamLimits) {
    this.#database = database
    this.#limits = limits
  }

  async appendToStream(options: store.AppendToStreamOptions): Promise<void> {
    const columns = store.parseAppendToStream(options, this.#limits)
    const { owner, runId, threadId, offset, chunks, bytes, maxBytes, end, expiresAt } = columns
    this.#database.transaction(() => {
      this.#database.run('DELETE FROM streams WHERE expires_at <= ?', [Date.now()])
      const found = this.#find({ owner, runId })
      const { length, ended } = { length: found?.length ?? 0, ended: found?.ended === 1 }
      if (length !== offset || ended) throw store.streamMoved(offset, { length, ended })
      const size = (found?.bytes ?? 0) + bytes
      if (size > maxBytes) throw store.streamTooLarge(size, maxBytes)
      const upsert = `INSERT INTO streams (owner, run_id, thread_id, length, bytes, ended, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, run_id) DO UPDATE SET
        length = excluded.length, bytes = excluded.bytes, ended = excluded.ended, expires_at = excluded.expires_at
        RETURNING stream`
      const row = [owner, runId, threadId, length + chunks.length, size, Number(end), expiresAt]
      const [saved] = this.#database.all(upsert, row)
      for (const [index, chunk] of chunks.entries()) {
        this.#database.run('INSERT INTO stream_chunks VALUES (?, ?, ?)', [
          saved?.stream,
          offset + index,
          chunk,
        ])
      }
    })
  }

  async readStream(options: store.ReadStreamOptions): Promise<store.StreamPart | undefined> {
    const { from, limit, ...key } = store.parseReadStream(options)
    return this.#database.transaction(() => {
      const found = this.#find(key)
      if (!found) return undefined
      const select = 'SELECT chunk FROM stream_chunks WHERE stream = ? AND place >= ? ORDER BY place LIMIT ?'
      const rows = this.#database.all(select, [found.stream, from, limit])
      return {
        chunks: rows.map(({ chunk }) => chunk as string),
        length: found.length,
        ended: found.ended === 1,
      }
    })
  }

  async deleteStream(options: store.StreamKey): Promise<boolean> {
    const key = store.parseStreamKey(options)
    return this.#database.transaction(() => {
      const found = this.#find(key)
      this.#database.run('DELETE FROM streams WHERE owner = ? AND run_id = ?', [key.owner, key.runId])
      return found !== undefined
    })
  }

  #find({ owner, runId }: store.StreamKeyColumns) {
    const select = 'SELECT * FROM streams WHERE owner = ? AND run_id = ? AND expires_at > ?'
    const [row] = this.#database.all(select, [owner, runId, Date.now()])
    return row as { stream: number; length: number; bytes: number; ended: number } | undefined
  }
}
