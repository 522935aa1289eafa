import {
  type MessageLimits,
  parseSaveMessages,
  type SaveMessagesOptions,
  type Thread,
} from '@millrace/core/storage'
import { saveBlobs } from './blobs.ts'
import type { Database } from './database.ts'
import { labelsOf } from './labels.ts'
import type { Row, Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'
import { lockThread, THREAD_COLUMNS, toThread } from './threads.ts'
import { copyVectors } from './vectors.ts'

export async function saveMessages(
  { transaction, tables }: Database,
  options: SaveMessagesOptions,
  limits: MessageLimits,
): Promise<Thread> {
  const parsing = parseSaveMessages(options, limits)
  const labels = options.messages.map(labelsOf)
  const { owner, threadId, messages, changes, deleteAfter, blobs, vectorsFrom } = await parsing
  const incoming = JSON.stringify(messages.map((message, index) => ({ ...message, labels: labels[index] })))
  const now = Date.now()
  return transaction(async (sql) => {
    const thread =
      (await lockThread(sql, { tables, owner, threadId })) ??
      (await createThread(sql, { tables, owner, threadId, now }))
    const key = Number(thread.key)
    if (deleteAfter !== undefined) await deleteMessagesAfter(sql, { tables, key, messageId: deleteAfter })
    const [row] = await sql(writeMessages(tables), [
      key,
      owner,
      incoming,
      changes.title ?? null,
      changes.title !== undefined,
      changes.metadata ?? null,
      now,
    ])
    await saveBlobs(sql, { tables, thread: key, blobs })
    if (vectorsFrom) await copyVectors(sql, { tables, owner, thread: key, from: vectorsFrom })
    return toThread(row as Row, owner)
  })
}

/** Inserts the thread, or locks it if another process has inserted it in the meantime. */
async function createThread(
  sql: Sql,
  { tables, owner, threadId, now }: { tables: Tables; owner: string; threadId: string; now: number },
): Promise<Row> {
  const [row] = await sql(
    `INSERT INTO ${tables.threads} (owner, id, version, changed, created_at, updated_at)
     VALUES ($1, $2, 0, 0, $3, $3)
     ON CONFLICT (owner, id) DO UPDATE SET id = excluded.id
     RETURNING key`,
    [owner, threadId, now],
  )
  return row as Row
}

async function deleteMessagesAfter(
  sql: Sql,
  { tables, key, messageId }: { tables: Tables; key: number; messageId: string },
): Promise<void> {
  await sql(
    `WITH gone AS MATERIALIZED (
       SELECT key FROM ${tables.messages}
       WHERE thread_key = $1
         AND sequence > (SELECT sequence FROM ${tables.messages} WHERE thread_key = $1 AND id = $2)
     ), vectors AS (
       DELETE FROM ${tables.vectors} WHERE message_key = ANY (ARRAY(SELECT key FROM gone))
     ), blobs AS (
       DELETE FROM ${tables.blobs} WHERE message_key = ANY (ARRAY(SELECT key FROM gone))
     ), deleted AS (
       DELETE FROM ${tables.messages} WHERE key = ANY (ARRAY(SELECT key FROM gone)) RETURNING term_count
     )
     UPDATE ${tables.threads} SET
       message_count = message_count - (SELECT count(*) FROM deleted),
       text_count = text_count - (SELECT count(*) FROM deleted WHERE term_count > 0),
       term_count = term_count - (SELECT coalesce(sum(term_count), 0) FROM deleted)
     WHERE key = $1`,
    [key, messageId],
  )
}

/**
 * Inserts new messages, replaces changed ones and updates the thread, in one statement. All parts of the
 * statement see the same snapshot. The thread is locked, so no other call writes its messages.
 */
function writeMessages(t: Tables): string {
  return `
    WITH incoming AS (
      SELECT given.*, terms, frequencies, coalesce(term_count, 0) AS term_count,
        hashtextextended(given.terms_text, 0) AS text_hash
      FROM (
        SELECT place, item->>'id' AS id, item->>'role' AS role, (item->>'createdAt')::bigint AS created_at,
          item->>'content' AS content, item->>'terms' AS terms_text,
          CASE WHEN item->>'labels' IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(item->'labels')) END AS labels
        FROM json_array_elements($3::json) WITH ORDINALITY AS given(item, place)
      ) AS given,
      LATERAL (
        SELECT coalesce(array_agg(term), '{}') AS terms, coalesce(array_agg(frequency), '{}') AS frequencies,
          sum(frequency) AS term_count
        FROM (
          SELECT hashtextextended($2 || ' ' || word, 0) AS term, count(*)::integer AS frequency
          FROM unnest(string_to_array(terms_text, ' ')) AS word GROUP BY 1
        ) AS counted
      ) AS indexed
    ), old AS (
      SELECT message.key, message.id, message.text_hash, message.term_count
      FROM ${t.messages} AS message JOIN incoming USING (id) WHERE message.thread_key = $1
    ), outdated AS (
      DELETE FROM ${t.vectors} USING old JOIN incoming USING (id)
      WHERE message_key = old.key AND old.text_hash <> incoming.text_hash
    ), unnamed AS (
      DELETE FROM ${t.blobs} AS blob USING old JOIN incoming USING (id)
      WHERE message_key = old.key AND position(blob.id IN incoming.content) = 0
    ), replaced AS (
      UPDATE ${t.messages} AS message SET
        role = incoming.role, content = incoming.content, labels = incoming.labels, text_hash = incoming.text_hash,
        term_count = incoming.term_count, terms = incoming.terms, frequencies = incoming.frequencies
      FROM incoming
      WHERE message.thread_key = $1 AND message.id = incoming.id
        AND (message.role, message.content) IS DISTINCT FROM (incoming.role, incoming.content)
    ), added AS (
      INSERT INTO ${t.messages} (thread_key, sequence, owner, id, role, created_at, content, labels,
        text_hash, term_count, terms, frequencies)
      SELECT $1, last_sequence + row_number() OVER (ORDER BY place), $2, incoming.id, role, incoming.created_at, content,
        labels, text_hash, incoming.term_count, terms, frequencies
      FROM incoming JOIN ${t.threads} AS thread ON thread.key = $1
      WHERE incoming.id NOT IN (SELECT id FROM old)
      ORDER BY place
      RETURNING 1
    ), counted AS (
      SELECT (SELECT count(*) FROM added) AS messages,
        (SELECT count(*) FROM incoming WHERE term_count > 0) - (SELECT count(*) FROM old WHERE term_count > 0) AS texts,
        (SELECT coalesce(sum(term_count), 0) FROM incoming) - (SELECT coalesce(sum(term_count), 0) FROM old) AS terms
    )
    UPDATE ${t.threads} SET
      last_sequence = last_sequence + counted.messages,
      message_count = message_count + counted.messages,
      text_count = text_count + counted.texts,
      term_count = term_count + counted.terms,
      title = CASE WHEN $5 THEN $4 ELSE title END,
      metadata = coalesce($6, metadata),
      version = version + CASE WHEN version = 0 OR $5 OR $6 IS NOT NULL THEN 1 ELSE 0 END,
      changed = nextval('${t.changes}'),
      updated_at = $7
    FROM counted WHERE key = $1
    RETURNING ${THREAD_COLUMNS}`
}
