import {
  type DeleteMessagesOptions,
  fromColumns,
  type GetMessagesOptions,
  inThreadOrder,
  type ListMessagesOptions,
  type MessageColumns,
  type Page,
  parseDeleteMessages,
  parseGetMessages,
  parseListMessages,
  type StoredMessage,
  toPage,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import type { Row, SqlValue } from './postgres-pool.ts'
import { fromTextColumn, textColumn } from './text-column.ts'
import { lockThread } from './threads.ts'

export async function listMessages(
  { read, tables }: Database,
  options: ListMessagesOptions,
): Promise<Page<StoredMessage>> {
  const { owner, threadId, descending, limit, after, before } = parseListMessages(options)
  const [order, beyond] = descending ? ['DESC', '<'] : ['ASC', '>']
  const values: SqlValue[] = [owner, threadId, limit + 1]
  const threadKey = `(SELECT key FROM ${tables.threads} WHERE owner = $1 AND id = $2)`
  const conditions = [`thread_key = ${threadKey}`]
  if (after !== undefined) conditions.push(`sequence ${beyond} $${values.push(after)}`)
  if (before !== undefined) {
    const place = `SELECT sequence FROM ${tables.messages} WHERE thread_key = ${threadKey} AND id = $${values.push(before)}`
    conditions.push(`sequence < coalesce((${place}), ${Number.MAX_SAFE_INTEGER})`)
  }
  const rows = await read(
    `SELECT ${messageColumns('message')} FROM ${tables.messages} AS message
     WHERE ${conditions.join(' AND ')} ORDER BY sequence ${order} LIMIT $3`,
    values,
  )
  return toPage(rows, {
    limit,
    item: (row) => toStoredMessage(row, { owner, threadId }),
    place: ({ sequence }) => Number(sequence),
  })
}

export async function getMessages(
  { read, tables }: Database,
  options: GetMessagesOptions,
): Promise<StoredMessage[]> {
  const { owner, messages, previous, next } = parseGetMessages(options)
  if (messages.length === 0) return []
  const rows = await read(
    `WITH wanted AS (
       SELECT DISTINCT message.thread_key, message.sequence, thread.id AS thread_id
       FROM json_to_recordset($2) AS given("threadId" text, "messageId" text)
       JOIN ${tables.threads} AS thread ON thread.owner = $1 AND thread.id = given."threadId"
       JOIN ${tables.messages} AS message ON message.thread_key = thread.key AND message.id = given."messageId"
     )
     SELECT DISTINCT ON (wanted.thread_key, near.sequence) ${textColumn('wanted.thread_id', { name: 'thread_id' })}, near.*
     FROM wanted, LATERAL (
       (SELECT ${messageColumns('message')} FROM ${tables.messages} AS message
        WHERE message.thread_key = wanted.thread_key AND message.sequence < wanted.sequence ORDER BY message.sequence DESC LIMIT $3)
       UNION ALL
       (SELECT ${messageColumns('message')} FROM ${tables.messages} AS message
        WHERE message.thread_key = wanted.thread_key AND message.sequence >= wanted.sequence ORDER BY message.sequence LIMIT $4)
     ) AS near
     ORDER BY wanted.thread_key, near.sequence`,
    [owner, JSON.stringify(messages), previous, next + 1],
  )
  const threadIds = messages.map(({ threadId }) => threadId)
  return inThreadOrder(
    rows.map((row) => toStoredMessage(row, { owner })),
    threadIds,
  )
}

export async function deleteMessages(
  { transaction, tables }: Database,
  options: DeleteMessagesOptions,
): Promise<number> {
  const { owner, threadId, ids } = parseDeleteMessages(options)
  if (ids.length === 0) return 0
  return transaction(async (sql) => {
    const thread = await lockThread(sql, { tables, owner, threadId })
    if (!thread) return 0
    const [row] = await sql(
      `WITH gone AS MATERIALIZED (
         SELECT key FROM ${tables.messages} WHERE thread_key = $1 AND id = ANY (ARRAY(SELECT json_array_elements_text($2)))
       ), vectors AS (
         DELETE FROM ${tables.vectors} WHERE message_key = ANY (ARRAY(SELECT key FROM gone))
       ), blobs AS (
         DELETE FROM ${tables.blobs} WHERE message_key = ANY (ARRAY(SELECT key FROM gone))
       ), deleted AS (
         DELETE FROM ${tables.messages} WHERE key = ANY (ARRAY(SELECT key FROM gone)) RETURNING term_count
       ), counted AS (
         SELECT count(*) AS messages, count(*) FILTER (WHERE term_count > 0) AS texts,
           coalesce(sum(term_count), 0) AS terms
         FROM deleted
       )
       UPDATE ${tables.threads} SET
         message_count = message_count - counted.messages,
         text_count = text_count - counted.texts,
         term_count = term_count - counted.terms,
         changed = nextval('${tables.changes}'),
         updated_at = $3
       FROM counted WHERE key = $1 AND counted.messages > 0
       RETURNING counted.messages`,
      [Number(thread.key), JSON.stringify(ids), Date.now()],
    )
    return Number(row?.messages ?? 0)
  })
}

/** The columns that {@link toStoredMessage} needs, of the table with this alias. */
export function messageColumns(table: string): string {
  const id = textColumn(`${table}.id`, { name: 'id' })
  return `${table}.sequence, ${id}, ${table}.role, ${table}.created_at, ${table}.content`
}

/** If `threadId` is not given, the row must have the thread's id as `thread_id`. */
export function toStoredMessage(
  row: Row,
  { owner, threadId }: { owner: string; threadId?: string },
): StoredMessage {
  const message = fromColumns(
    {
      id: fromTextColumn(row.id),
      role: row.role as MessageColumns['role'],
      createdAt: Number(row.created_at),
      content: String(row.content),
    },
    { owner, threadId: threadId ?? fromTextColumn(row.thread_id) },
  )
  return { message, sequence: Number(row.sequence) }
}
