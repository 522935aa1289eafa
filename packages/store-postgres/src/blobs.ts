import { type GetBlobsOptions, inBlobOrder, type MessageBlob, parseGetBlobs } from '@millrace/core/storage'
import type { Database } from './database.ts'
import type { Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

/** Saves blobs of messages that were saved in the same transaction. Existing blobs are not changed. */
export async function saveBlobs(
  sql: Sql,
  { tables, thread, blobs }: { tables: Tables; thread: number; blobs: readonly MessageBlob[] },
): Promise<void> {
  for (const { messageId, id, data } of blobs) {
    // Sent as Base64, because drivers accept bytes in different forms.
    await sql(
      `INSERT INTO ${tables.blobs} SELECT key, $3, decode($4, 'base64') FROM ${tables.messages}
       WHERE thread_key = $1 AND id = $2 ON CONFLICT DO NOTHING`,
      [thread, messageId, id, Buffer.from(data).toString('base64')],
    )
  }
}

export async function getBlobs({ read, tables }: Database, options: GetBlobsOptions): Promise<MessageBlob[]> {
  const { owner, threadId, blobs } = parseGetBlobs(options)
  const rows = await read(
    `SELECT ${textColumn('message.id', { name: 'message_id' })}, blob.id, encode(blob.data, 'base64') AS data
     FROM json_to_recordset($3) AS wanted("messageId" text, id text)
     JOIN ${tables.threads} AS thread ON thread.owner = $1 AND thread.id = $2
     JOIN ${tables.messages} AS message ON message.thread_key = thread.key AND message.id = wanted."messageId"
     JOIN ${tables.blobs} AS blob ON blob.message_key = message.key AND blob.id = wanted.id`,
    [owner, threadId, JSON.stringify(blobs)],
  )
  const found = rows.map((row) => ({
    messageId: fromTextColumn(row.message_id),
    id: String(row.id),
    data: new Uint8Array(Buffer.from(String(row.data), 'base64')),
  }))
  return inBlobOrder(found, blobs)
}
