import type {
  FilePart,
  Message,
  MessageBlob,
  MessagePart,
  ReasoningFilePart,
  Store,
  ThreadKey,
} from '@millrace/core'
import { fromBase64, toBase64 } from './base64.ts'

/**
 * Files up to this size, in bytes, are stored inside their message. Larger files are stored separately, as
 * blobs.
 */
export const MAX_INLINE_BYTES = 65_536

/**
 * The URL of a file stored as a blob. It is not a secret: the blob is only found together with its message.
 */
const REFERENCE = /^millrace-file:([\w-]{16,128})$/

type AnyFilePart = FilePart | ReasoningFilePart

/**
 * Prepares messages for storage: large files given as data URLs become blobs, and their parts refer to the
 * blobs by URL.
 * A store without blobs keeps the files inside the messages.
 */
export async function externalizeFiles(
  storage: Store,
  messages: readonly Message[],
  { maxInlineBytes = MAX_INLINE_BYTES }: { maxInlineBytes?: number | undefined } = {},
): Promise<{ messages: Message[]; blobs: MessageBlob[] }> {
  const blobs: MessageBlob[] = []
  if (!storage.capabilities.blobs) return { messages: [...messages], blobs }
  const stored: Message[] = []
  for (const message of messages) {
    const known = new Set<string>()
    const parts = await mapFiles(message, async (part) => {
      // One UTF-16 code unit takes at most three bytes in UTF-8.
      if (!part.url.startsWith('data:') || part.url.length * 3 <= maxInlineBytes) return undefined
      const data = await bytesOf(part.url)
      if (!data || data.length <= maxInlineBytes) return undefined
      const id = await hashOf(data)
      if (!known.has(id)) blobs.push({ messageId: message.id, id, data })
      known.add(id)
      return { ...part, url: `millrace-file:${id}` }
    })
    stored.push(withParts(message, parts))
  }
  return { messages: stored, blobs }
}

/**
 * Replaces references to blobs by data URLs. A file whose blob no longer exists is replaced by a text that
 * says so.
 */
export async function inlineFiles(
  storage: Store,
  { threadId, resourceId }: ThreadKey,
  messages: readonly Message[],
): Promise<Message[]> {
  const whole: Message[] = []
  for (const message of messages) {
    const wanted = referencesIn(message).map((id) => ({ messageId: message.id, id }))
    if (wanted.length === 0) {
      whole.push(message)
      continue
    }
    const found = storage.capabilities.blobs
      ? await storage.getBlobs({ threadId, resourceId, blobs: wanted })
      : []
    const data = new Map(found.map((blob) => [blob.id, blob.data]))
    const parts = await mapFiles(message, async (part) => {
      const [, id] = REFERENCE.exec(part.url) ?? []
      const bytes = id === undefined ? undefined : data.get(id)
      if (id === undefined) return undefined
      return bytes
        ? { ...part, url: `data:${mediaTypeOf(part)};base64,${await toBase64(bytes)}` }
        : filePlaceholder(part, 'is not stored any more')
    })
    whole.push(withParts(message, parts))
  }
  return whole
}

/**
 * Messages as the model receives them: the files of the last turns as data URLs, files of older turns only by
 * name.
 *
 * @param options.keepFiles The number of last turns whose files are included
 */
export async function inlineRecentFiles(
  storage: Store,
  key: ThreadKey,
  { messages, keepFiles }: { messages: readonly Message[]; keepFiles: number },
): Promise<Message[]> {
  if (!messages.some((message) => referencesIn(message).length > 0)) return [...messages]
  const users = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  const first = keepFiles === 0 ? messages.length : (users.at(-keepFiles) ?? 0)
  const older = await Promise.all(
    messages.slice(0, first).map(async (message) => {
      const parts = await mapFiles(message, async (part) =>
        REFERENCE.test(part.url)
          ? filePlaceholder(part, 'was part of an earlier turn and is not shown again')
          : undefined,
      )
      return withParts(message, parts)
    }),
  )
  return [...older, ...(await inlineFiles(storage, key, messages.slice(first)))]
}

/** The ids of the blobs that a message refers to. */
export function referencesIn({ content }: Message): string[] {
  const ids = content.parts.flatMap((part) => (isFile(part) ? (REFERENCE.exec(part.url)?.[1] ?? []) : []))
  return [...new Set(ids)]
}

/** Maps the file parts of a message. Returns `undefined` if no part changed. */
async function mapFiles(
  { content }: Message,
  change: (part: AnyFilePart) => Promise<MessagePart | undefined>,
): Promise<MessagePart[] | undefined> {
  let isChanged = false
  const parts: MessagePart[] = []
  for (const part of content.parts) {
    const changed = isFile(part) ? await change(part) : undefined
    isChanged ||= changed !== undefined
    parts.push(changed ?? part)
  }
  return isChanged ? parts : undefined
}

function withParts(message: Message, parts: MessagePart[] | undefined): Message {
  return parts ? { ...message, content: { ...message.content, parts } } : message
}

function isFile(part: MessagePart): part is AnyFilePart {
  return (
    (part.type === 'file' || part.type === 'reasoning-file') && typeof (part as AnyFilePart).url === 'string'
  )
}

function filePlaceholder(part: AnyFilePart, what: string): MessagePart {
  const name = 'filename' in part && part.filename !== undefined ? ` ${JSON.stringify(part.filename)}` : ''
  return { type: 'text', text: `[The file${name} (${mediaTypeOf(part)}) ${what}.]` }
}

/** Replaces characters that are not safe in a URL or in brackets. */
function mediaTypeOf({ mediaType }: AnyFilePart): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(mediaType) ? mediaType : 'application/octet-stream'
}

/** Decodes a data URL (RFC 2397). `undefined` if it cannot be decoded. */
async function bytesOf(url: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const comma = url.indexOf(',')
  if (comma < 0) return undefined
  try {
    return /;base64$/i.test(url.slice(0, comma))
      ? await fromBase64(url.slice(comma + 1))
      : new TextEncoder().encode(decodeURIComponent(url.slice(comma + 1)))
  } catch {
    return undefined
  }
}

/** SHA-256, as hexadecimal digits. */
async function hashOf(data: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', data)
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
