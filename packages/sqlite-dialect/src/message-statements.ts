import {
  type BlobKey,
  fromColumns,
  type MessageBlob,
  type MessageColumns,
  type StoredMessage,
  type ThreadColumns,
} from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'
import { LIMIT } from './limit.ts'
import { FIRST_KEY, LAST_KEY } from './message-keys.ts'
import { OWNER_KEY, THREAD_KEY } from './thread-statements.ts'

/** Columns of a message `m` in a thread `t`. */
export const MESSAGE_COLUMNS =
  't.id AS threadId, m.sequence, m.id, m.role, m.created_at AS createdAt, m.content AS content'

interface MessageRow extends Pick<MessageColumns, 'id' | 'role' | 'createdAt' | 'content'> {
  threadId: string
  sequence: number
}

export function toStoredMessage(row: Row, owner: string): StoredMessage {
  const message = row as unknown as MessageRow
  return {
    message: fromColumns(message, { owner, threadId: message.threadId }),
    sequence: message.sequence,
  }
}

/**
 * Inserts messages at the positions that `reservePositions` has reserved; the thread has the position after them.
 */
export function saveMessages(
  messages: readonly MessageColumns[],
  { owner, threadId }: ThreadColumns,
): Statement[] {
  const inserts = messages.map(({ id, role, createdAt, content, terms }, index) => ({
    sql: INSERT_MESSAGE,
    parameters: {
      owner,
      thread: threadId,
      back: messages.length - index,
      id,
      role,
      createdAt,
      content,
      terms: terms === '' ? null : terms,
    },
  }))
  if (inserts.length === 0) return []
  const texts = JSON.stringify(messages.filter(({ terms }) => terms !== '').map(toText))
  const parameters = { owner, thread: threadId, count: messages.length, texts }
  return [...inserts, ...INDEX_MESSAGES.map((sql) => ({ sql, parameters }))]
}

/** A row of the table `millrace_texts`. */
function toText({ id, terms }: MessageColumns): [id: string, length: number, repeated: string] {
  const list = terms.split(' ')
  const counts = new Map<string, number>()
  for (const term of list) counts.set(term, (counts.get(term) ?? 0) + 1)
  let repeated = ''
  for (const [term, count] of counts) if (count > 1) repeated += ` ${term}:${count}`
  return [id, list.length, repeated && `${repeated} `]
}

const INSERT_MESSAGE = `INSERT INTO millrace_messages
    (key, thread, sequence, id, role, created_at, terms, content)
  SELECT (SELECT key << 32 | last_place - :back FROM millrace_resources WHERE id = :owner),
    key, last_sequence + 1, :id, :role, :createdAt, :terms, :content
  FROM millrace_threads WHERE resource = ${OWNER_KEY} AND id = :thread
  ON CONFLICT (thread, id) DO UPDATE SET role = excluded.role, terms = excluded.terms, content = excluded.content
    WHERE content <> excluded.content OR role <> excluded.role OR terms IS NOT excluded.terms`

// Messages that existed before keep their positions, and a trigger updates their index entries.
const NEW_MESSAGES = `FROM millrace_messages
  WHERE key >= (SELECT key << 32 | last_place - :count FROM millrace_resources WHERE id = :owner)
    AND key <= ${LAST_KEY} AND terms IS NOT NULL`

const INDEX_MESSAGES = [
  `INSERT INTO millrace_texts
    SELECT m.key, m.thread, t.value ->> 1, t.value ->> 2 FROM json_each(:texts) t
    CROSS JOIN millrace_messages m ON m.thread = ${THREAD_KEY} AND m.id = t.value ->> 0 WHERE true
    ON CONFLICT (message) DO UPDATE SET length = excluded.length, repeated = excluded.repeated
      WHERE length <> excluded.length OR repeated <> excluded.repeated`,
  `INSERT INTO millrace_without_vector SELECT key, thread ${NEW_MESSAGES}`,
  `INSERT INTO millrace_words (rowid, thread, terms) SELECT key, thread, terms ${NEW_MESSAGES}`,
]

/** Existing blobs are not changed. */
export function saveBlobs(blobs: readonly MessageBlob[], { owner, threadId }: ThreadColumns): Statement[] {
  return blobs.map(({ messageId, id, data }) => ({
    sql: SAVE_BLOB,
    parameters: { owner, thread: threadId, message: messageId, id, data },
  }))
}

const SAVE_BLOB = `INSERT INTO millrace_blobs
  SELECT key, :id, :data FROM millrace_messages WHERE thread = ${THREAD_KEY} AND id = :message
  ON CONFLICT DO NOTHING`

export function getBlobs({ owner, threadId, blobs }: ThreadColumns & { blobs: BlobKey[] }): Statement {
  const wanted = JSON.stringify(blobs.map(({ messageId, id }) => [messageId, id]))
  return { sql: GET_BLOBS, parameters: { owner, thread: threadId, wanted } }
}

const GET_BLOBS = `SELECT m.id AS messageId, b.id, b.data FROM json_each(:wanted) w
  CROSS JOIN millrace_messages m ON m.thread = ${THREAD_KEY} AND m.id = w.value ->> 0
  CROSS JOIN millrace_blobs b ON b.message = m.key AND b.id = w.value ->> 1`

/** Drivers return bytes in different types. */
export function toBlob({ messageId, id, data }: Row): MessageBlob {
  return { messageId: messageId as string, id: id as string, data: new Uint8Array(data as ArrayBuffer) }
}

/** Deletes the messages after the one with this id. Deletes nothing if it does not exist. */
export function deleteMessagesAfter(id: string, { owner, threadId }: ThreadColumns): Statement {
  return { sql: DELETE_AFTER, parameters: { owner, thread: threadId, id } }
}

const DELETE_AFTER = `DELETE FROM millrace_messages WHERE thread = ${THREAD_KEY} AND sequence >
  (SELECT sequence FROM millrace_messages WHERE thread = ${THREAD_KEY} AND id = :id)`

/** Returns the key of the thread if some of its words must be erased. */
export function findErased({ owner, threadId }: ThreadColumns): Statement {
  return { sql: FIND_ERASED, parameters: { owner, thread: threadId } }
}

const FIND_ERASED = `SELECT thread AS key FROM millrace_erased
  WHERE message >= ${FIRST_KEY} AND message <= ${LAST_KEY} AND thread = ${THREAD_KEY} LIMIT 1`

export function listMessages(
  options: ThreadColumns & {
    descending: boolean
    limit: number
    after: number | undefined
    before: string | undefined
  },
): Statement {
  const { owner, threadId, descending, limit, after, before } = options
  const texts = descending ? LIST_NEWEST : LIST_OLDEST
  const start = descending ? Number.MAX_SAFE_INTEGER : 0
  return {
    sql: before === undefined ? texts.all : texts.before,
    parameters: {
      owner,
      thread: threadId,
      after: after ?? start,
      before: before ?? null,
      limit: limit + 1,
    },
  }
}

const LIST_NEWEST = listMessagesWhere('m.sequence < :after', 'm.sequence DESC')
const LIST_OLDEST = listMessagesWhere('m.sequence > :after', 'm.sequence')

function listMessagesWhere(condition: string, order: string): { all: string; before: string } {
  const start = `SELECT :thread AS threadId, m.sequence, m.id, m.role, m.created_at AS createdAt, m.content
    FROM millrace_messages m WHERE m.thread = ${THREAD_KEY} AND ${condition}`
  const end = `ORDER BY ${order} ${LIMIT}`
  const next = `(SELECT sequence FROM millrace_messages WHERE thread = ${THREAD_KEY} AND id = :before)`
  return {
    all: `${start} ${end}`,
    before: `${start} AND m.sequence < coalesce(${next}, ${Number.MAX_SAFE_INTEGER}) ${end}`,
  }
}

export function getMessages(options: {
  owner: string
  messages: { threadId: string; messageId: string }[]
  previous: number
  next: number
}): Statement {
  const { owner, messages, previous, next } = options
  const wanted = JSON.stringify(messages.map(({ threadId, messageId }) => [threadId, messageId]))
  return { sql: GET_MESSAGES, parameters: { owner, wanted, previous, next } }
}

const GET_MESSAGES = `WITH wanted AS (
    SELECT DISTINCT m.thread, m.sequence
    FROM json_each(:wanted) w
    CROSS JOIN millrace_threads t ON t.resource = ${OWNER_KEY} AND t.id = w.value ->> 0
    CROSS JOIN millrace_messages m ON m.thread = t.key AND m.id = w.value ->> 1
  ), ranges AS (
    SELECT w.thread,
      (SELECT min(sequence) FROM (SELECT n.sequence FROM millrace_messages n
        WHERE n.thread = w.thread AND n.sequence <= w.sequence ORDER BY n.sequence DESC LIMIT :previous + 1)) AS low,
      (SELECT max(sequence) FROM (SELECT n.sequence FROM millrace_messages n
        WHERE n.thread = w.thread AND n.sequence >= w.sequence ORDER BY n.sequence LIMIT :next + 1)) AS high
    FROM wanted w
  ), found AS (
    SELECT DISTINCT m.key FROM ranges CROSS JOIN millrace_messages m
      ON m.thread = ranges.thread AND m.sequence BETWEEN ranges.low AND ranges.high
  )
  SELECT ${MESSAGE_COLUMNS} FROM found CROSS JOIN millrace_messages m ON m.key = found.key
  CROSS JOIN millrace_threads t ON t.key = m.thread`

/** The last statement returns the number of deleted messages and the key of the thread. */
export function deleteMessages({ owner, threadId, ids }: ThreadColumns & { ids: string[] }): Statement[] {
  const parameters = { owner, thread: threadId, ids: JSON.stringify(ids), now: Date.now() }
  return DELETE_MESSAGES.map((sql) => ({ sql, parameters }))
}

const NAMED = `thread = ${THREAD_KEY} AND id IN (SELECT value FROM json_each(:ids))`

const DELETE_MESSAGES = [
  'UPDATE millrace_resources SET last_place = last_place + 1 WHERE id = :owner',
  `UPDATE millrace_threads SET updated_at = :now,
    changed = (SELECT last_place FROM millrace_resources WHERE id = :owner)
    WHERE key = ${THREAD_KEY} AND EXISTS (SELECT 1 FROM millrace_messages WHERE ${NAMED})`,
  `DELETE FROM millrace_messages WHERE ${NAMED}`,
  `SELECT changes() AS count, ${THREAD_KEY} AS key`,
]
