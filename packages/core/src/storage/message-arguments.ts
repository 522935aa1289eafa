import type { Message, MessageContent } from '../messages/message.ts'
import type { OptionNames } from '../option-names.ts'
import { checkCount, checkId, checkTime, fromCursor, ownerKey, readOptions, toJson } from './arguments.ts'
import type { BlobKey, GetBlobsOptions, MessageBlob } from './blob-store.ts'
import type {
  DeleteMessagesOptions,
  GetMessagesOptions,
  ListMessagesOptions,
  MessageLimits,
  SaveMessagesOptions,
  StoredMessage,
} from './message-store.ts'
import { PAGE } from './owner.ts'
import { parseVectorSource } from './search-arguments.ts'
import { indexTerms, MAX_SEARCHED_LENGTH, searchableText } from './search-terms.ts'
import { blobTooLarge, invalidInput, messageTooLarge } from './store-errors.ts'
import {
  parseThreadChanges,
  THREAD_KEY,
  type ThreadChangeColumns,
  type ThreadColumns,
  threadColumns,
} from './thread-arguments.ts'
import type { VectorSource } from './vector-source.ts'

const SAVE_MESSAGES_OPTIONS: OptionNames<SaveMessagesOptions> = {
  ...THREAD_KEY,
  messages: 'required',
  thread: { title: 'optional', metadata: 'optional' },
  deleteAfter: 'optional',
  blobs: 'optional',
  vectorsFrom: 'optional',
}

const GET_BLOBS_OPTIONS: OptionNames<GetBlobsOptions> = { ...THREAD_KEY, blobs: 'required' }

const LIST_MESSAGES_OPTIONS: OptionNames<ListMessagesOptions> = {
  ...THREAD_KEY,
  ...PAGE,
  order: 'optional',
  before: 'optional',
}

const GET_MESSAGES_OPTIONS: OptionNames<GetMessagesOptions> = {
  resourceId: 'optional',
  messages: 'required',
  previous: 'optional',
  next: 'optional',
}

const DELETE_MESSAGES_OPTIONS: OptionNames<DeleteMessagesOptions> = { ...THREAD_KEY, messageIds: 'required' }

/** A message as columns. */
export interface MessageColumns {
  id: string
  role: Message['role']
  /** Milliseconds since 1970. */
  createdAt: number
  /** JSON. */
  content: string
  /** The stems of its words in order, separated by spaces, for the search. Empty if it has none. */
  terms: string
}

export interface SaveMessagesColumns extends ThreadColumns {
  messages: MessageColumns[]
  changes: ThreadChangeColumns
  deleteAfter: string | undefined
  blobs: MessageBlob[]
  vectorsFrom: VectorSource | undefined
}

/** Number of characters that are stemmed before yielding to the event loop: about 20 ms. */
const CHARACTERS_PER_SLICE = 65_536

/**
 * Asynchronous for long text, which is processed in pieces so that it does not block the event loop.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID`, `STORAGE_MESSAGE_TOO_LARGE`
 */
export function parseSaveMessages(
  given: SaveMessagesOptions,
  { maxMessageBytes = 1024 * 1024, maxBlobBytes = 16 * 1024 * 1024 }: MessageLimits = {},
): SaveMessagesColumns | Promise<SaveMessagesColumns> {
  const options = readOptions('store.saveMessages()', given, SAVE_MESSAGES_OPTIONS)
  const { messages, thread = {}, deleteAfter, blobs = [], vectorsFrom } = options
  const ids = new Set<string>()
  const texts: string[] = []
  let characters = 0
  const columns = {
    ...threadColumns(options),
    messages: messages.map((message) => {
      const columns = toColumns(message, maxMessageBytes)
      if (ids.has(columns.id)) {
        throw invalidInput(
          `Two of the messages to save have the id '${columns.id}'. Use a unique id for each.`,
        )
      }
      ids.add(columns.id)
      const text = searchableText(message)
      characters += Math.min(text.length, MAX_SEARCHED_LENGTH)
      texts.push(text)
      return columns
    }),
    changes: parseThreadChanges(thread),
    deleteAfter: deleteAfter === undefined ? undefined : checkId('deleteAfter', deleteAfter),
    blobs: [] as MessageBlob[],
    vectorsFrom: vectorsFrom && parseVectorSource(vectorsFrom),
  }
  columns.blobs = toBlobs(blobs, { messages: columns.messages, maxBlobBytes })
  if (characters > CHARACTERS_PER_SLICE) return addTermsInTurns(columns, texts)
  for (const [index, message] of columns.messages.entries()) message.terms = termsOf(texts[index])
  return columns
}

async function addTermsInTurns(
  columns: SaveMessagesColumns,
  texts: readonly string[],
): Promise<SaveMessagesColumns> {
  let characters = 0
  for (const [index, message] of columns.messages.entries()) {
    characters += Math.min(texts[index]?.length ?? 0, MAX_SEARCHED_LENGTH)
    if (characters > CHARACTERS_PER_SLICE) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      characters = 0
    }
    message.terms = termsOf(texts[index])
  }
  return columns
}

function termsOf(text = ''): string {
  return indexTerms(text).join(' ')
}

/** The columns without the terms. */
function toColumns(message: Message, maxMessageBytes: number): MessageColumns {
  const id = checkId('The id of a message', message.id)
  const { role, content, createdAt } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw invalidInput(`The message '${id}' has no role. It must be 'user', 'assistant' or 'system'.`)
  }
  if (!Array.isArray(content?.parts)) {
    throw invalidInput(`The message '${id}' has no content.parts. Pass a list of parts.`)
  }
  const time = checkTime(`createdAt of the message '${id}'`, createdAt)
  if (time === undefined) throw invalidInput(`The message '${id}' has no createdAt. Pass a Date.`)
  const bytes = textBytes(content, maxMessageBytes)
  if (bytes > maxMessageBytes) throw messageTooLarge(id, { bytes, most: maxMessageBytes })
  return { id, role, createdAt: time, content: toJson(`The message '${id}'`, content), terms: '' }
}

/** The size of its text in bytes of UTF-8. Returns 0 if the size cannot exceed `most`. */
function textBytes({ parts }: MessageContent, most: number): number {
  let length = 0
  const texts: string[] = []
  for (const part of parts) {
    if (part.type !== 'text' && part.type !== 'reasoning') continue
    if (typeof part.text !== 'string') continue
    length += part.text.length
    texts.push(part.text)
  }
  // A UTF-16 code unit takes at most three bytes.
  if (length * 3 <= most) return 0
  const encoder = new TextEncoder()
  return texts.reduce((sum, text) => sum + encoder.encode(text).length, 0)
}

function toBlobs(
  blobs: readonly MessageBlob[],
  { messages, maxBlobBytes }: { messages: readonly MessageColumns[]; maxBlobBytes: number },
): MessageBlob[] {
  const contents = new Map(messages.map(({ id, content }) => [id, content]))
  return blobs.map(({ messageId, id, data }) => {
    const blobId = checkBlobId(id)
    if (!contents.get(messageId)?.includes(blobId)) {
      throw invalidInput(
        `The blob '${blobId}' does not belong to a message that is saved with it, or the message does not contain its id. Save them together.`,
      )
    }
    if (!(data instanceof Uint8Array))
      throw invalidInput(`The data of the blob '${blobId}' is not a Uint8Array. Pass its bytes.`)
    if (data.length > maxBlobBytes) throw blobTooLarge(messageId, { bytes: data.length, most: maxBlobBytes })
    return { messageId, id: blobId, data }
  })
}

/** JSON contains the id unescaped, and is unlikely to contain it by chance. */
function checkBlobId(id: unknown): string {
  if (typeof id === 'string' && /^[\w-]{16,128}$/.test(id)) return id
  throw invalidInput('The id of a blob must be 16 to 128 letters, digits, _ and -. Use a hash of its data.')
}

export function parseGetBlobs(given: GetBlobsOptions): ThreadColumns & { blobs: BlobKey[] } {
  const options = readOptions('store.getBlobs()', given, GET_BLOBS_OPTIONS)
  return {
    ...threadColumns(options),
    blobs: options.blobs.map(({ messageId, id }) => ({
      messageId: checkId('messageId', messageId),
      id: checkBlobId(id),
    })),
  }
}

/** The blobs that were found, in the requested order. */
export function inBlobOrder(found: readonly MessageBlob[], wanted: readonly BlobKey[]): MessageBlob[] {
  const keyOf = ({ messageId, id }: BlobKey): string => `${id} ${messageId}`
  const byKey = new Map(found.map((blob) => [keyOf(blob), blob]))
  return [...new Set(wanted.map(keyOf))].flatMap((key) => byKey.get(key) ?? [])
}

/** The message of a row. */
export function fromColumns(
  { id, role, createdAt, content }: Pick<MessageColumns, 'id' | 'role' | 'createdAt' | 'content'>,
  { owner, threadId }: ThreadColumns,
): Message {
  return {
    id,
    role,
    content: JSON.parse(content) as MessageContent,
    createdAt: new Date(createdAt),
    threadId,
    ...(owner !== '' && { resourceId: owner }),
  }
}

export function parseListMessages(given: ListMessagesOptions): ThreadColumns & {
  descending: boolean
  limit: number
  after: number | undefined
  before: string | undefined
} {
  const options = readOptions('store.listMessages()', given, LIST_MESSAGES_OPTIONS)
  const { order = 'asc', limit, cursor, before } = options
  if (order !== 'asc' && order !== 'desc') throw invalidInput("order must be 'asc' or 'desc'.")
  return {
    ...threadColumns(options),
    descending: order === 'desc',
    limit: checkCount('limit', limit, { fallback: 100 }),
    after: fromCursor(cursor),
    before: before === undefined ? undefined : checkId('before', before),
  }
}

export function parseGetMessages(options: GetMessagesOptions): {
  owner: string
  messages: { threadId: string; messageId: string }[]
  previous: number
  next: number
} {
  const { resourceId, messages, previous, next } = readOptions(
    'store.getMessages()',
    options,
    GET_MESSAGES_OPTIONS,
  )
  return {
    owner: ownerKey(resourceId),
    messages: messages.map(({ threadId, messageId }) => ({
      threadId: checkId('threadId', threadId),
      messageId: checkId('messageId', messageId),
    })),
    previous: checkCount('previous', previous, { fallback: 0, least: 0 }),
    next: checkCount('next', next, { fallback: 0, least: 0 }),
  }
}

export function parseDeleteMessages(given: DeleteMessagesOptions): ThreadColumns & { ids: string[] } {
  const options = readOptions('store.deleteMessages()', given, DELETE_MESSAGES_OPTIONS)
  const ids = options.messageIds.map((id) => checkId('An id in messageIds', id))
  return { ...threadColumns(options), ids: [...new Set(ids)] }
}

/** Removes duplicates and sorts: by thread in the order of `threadIds`, then by sequence. */
export function inThreadOrder(
  messages: readonly StoredMessage[],
  threadIds: readonly string[],
): StoredMessage[] {
  const byThread = new Map<string, Map<number, StoredMessage>>()
  for (const threadId of threadIds) byThread.set(threadId, new Map())
  for (const stored of messages) byThread.get(stored.message.threadId ?? '')?.set(stored.sequence, stored)
  return [...byThread.values()].flatMap((found) =>
    [...found.values()].sort((left, right) => left.sequence - right.sequence),
  )
}
