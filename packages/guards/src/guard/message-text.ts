import { isToolPart, type Message, type MessagePart } from '@millrace/core'
import { isDataUrl } from './bytes/byte-carriers.ts'
import { withoutCharset } from './bytes/filled-value.ts'

/**
 * What a value of a message is. `data`: values beside the text, such as a chat client's metadata and data parts.
 * `provider`: metadata of the model's provider, which may have to be sent back unchanged.
 */
export type TextKind = 'text' | 'reasoning' | 'tool-input' | 'tool-result' | 'data' | 'provider'

/** Where a value is in a message. */
export interface ValuePlace {
  readonly kind: TextKind
  /** The type of its part. */
  readonly part: string
  /** The name of the field in its part; `address` for a URL, which leads elsewhere if it is spelled otherwise. */
  readonly field: string
  readonly toolCallId?: string
  /** The media type that the part states, if the value is the URL of its bytes. */
  readonly mediaType?: string
  /** Texts of the same passage count as one text, whatever is between them. */
  readonly passage?: string
}

/** Rewrites a text, or JSON that contains texts. */
export type RewriteValue = (value: unknown, place: ValuePlace) => unknown

/**
 * Fields that hold a message together and contain no text: a change would break the message. All other fields are
 * inspected, also in parts of unknown types, since a person may have written them.
 */
const STRUCTURE: ReadonlySet<string> = new Set([
  'type',
  'state',
  'toolCallId',
  'toolName',
  'sourceType',
  'stepNumber',
  'providerReference',
])

const PROVIDER: ReadonlySet<string> = new Set([
  'providerMetadata',
  'callProviderMetadata',
  'resultProviderMetadata',
])

/** The fields of a tool part that are known before the tool answers. */
const OF_CALL: ReadonlySet<string> = new Set(['input', 'rawInput', 'inputError', 'title', 'toolMetadata'])

/** A value of a part, with the position of the part. */
export interface ContentItem extends ValuePlace {
  readonly value: unknown
  readonly position: number
}

/** All values of the parts, in the order in which {@link partsWithContent} expects them. */
export function contentOfParts(parts: readonly { type: string }[]): ContentItem[] {
  const items: ContentItem[] = []
  for (const [position, part] of parts.entries()) {
    rewritePart(part, (value, place) => {
      items.push({ ...place, value, position })
      return value
    })
  }
  return items
}

/**
 * The parts with their values replaced by `treated`. Returns the same parts if nothing changed. Text that became empty
 * is removed, unless nothing else would remain.
 *
 * @param gone Positions of the parts to remove
 */
export function partsWithContent<PART extends { type: string }>(
  parts: readonly PART[],
  treated: readonly unknown[],
  gone: ReadonlySet<number> = NONE,
): readonly PART[] {
  const values = treated.values()
  const all = parts.map((part) => rewritePart(part, () => values.next().value))
  if (gone.size === 0 && all.every((part, index) => part === parts[index])) return parts
  const kept = all.filter((part, index) => !gone.has(index) && (part === parts[index] || !isEmptyProse(part)))
  if (gone.size > 0 || kept.some(({ type }) => type !== 'step-start')) return kept
  return all
}

const NONE: ReadonlySet<number> = new Set()

function isEmptyProse(part: { type: string; text?: unknown }): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.text === ''
}

/** All values of a message: those of its parts, then its metadata. */
export function contentOfMessage({ content: { parts, metadata } }: Message): ContentItem[] {
  const items = contentOfParts(parts)
  if (metadata !== undefined) items.push({ ...METADATA, value: metadata, position: parts.length })
  return items
}

const METADATA: ValuePlace = { kind: 'data', part: 'metadata', field: 'metadata' }

/**
 * The message with its values replaced by `treated`: a copy, or the same message if nothing changed. See
 * {@link partsWithContent}.
 */
export function messageWithContent(
  message: Message,
  treated: readonly unknown[],
  gone?: ReadonlySet<number>,
): Message {
  const { parts, metadata } = message.content
  const rewritten = partsWithContent(parts, treated, gone)
  const data = metadata === undefined ? undefined : treated.at(-1)
  if (rewritten === parts && data === metadata) return message
  const content = {
    parts: rewritten as MessagePart[],
    ...(data !== undefined && { metadata: data as typeof metadata & {} }),
  }
  return { ...message, content }
}

/** The message with all its text rewritten: a copy, or the same message if nothing changed. */
export function rewriteMessage(message: Message, rewrite: RewriteValue): Message {
  const { parts, metadata } = message.content
  const rewritten = rewriteParts(parts, rewrite)
  const data = metadata === undefined ? undefined : rewrite(metadata, METADATA)
  if (rewritten === parts && data === metadata) return message
  const content = { parts: rewritten, ...(data !== undefined && { metadata: data as typeof metadata & {} }) }
  return { ...message, content }
}

/** Rewrites a part, or a chunk that becomes one: a copy, or the same part if nothing changed. */
function rewritePart<PART extends { type: string }>(part: PART, rewrite: RewriteValue): PART {
  let changes: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(part)) {
    if (value === undefined || STRUCTURE.has(key)) continue
    const rewritten = rewriteField(part, key, value, rewrite)
    if (rewritten === value) continue
    changes ??= {}
    changes[key] = rewritten
  }
  if (!changes) return part
  // New bytes are UTF-8.
  if (isFile(part) && part.mediaType !== undefined && 'url' in changes) {
    changes.mediaType = withoutCharset(changes.mediaType ?? part.mediaType)
  }
  return { ...part, ...changes }
}

function isFile(part: { type: string }): part is { type: string; mediaType?: string } {
  return part.type === 'file' || part.type === 'reasoning-file'
}

function rewriteField(part: { type: string }, key: string, value: unknown, rewrite: RewriteValue): unknown {
  const place = placeOf(part, key)
  if (key === 'url' && typeof value === 'string') {
    if (isFile(part) && isDataUrl(value)) return rewrite(value, { ...place, mediaType: part.mediaType ?? '' })
    return rewriteUrl(value, (text) => rewrite(text, { ...place, field: 'address' }) as string)
  }
  if (key === 'parts' && part.type === 'steering-message' && Array.isArray(value)) {
    // What the user wrote during the run is a text of its own.
    return rewriteParts(value, (text, at) =>
      rewrite(
        text,
        at.passage === undefined ? at : { ...at, passage: `${at.passage} of ${part.type} ${idOf(part)}` },
      ),
    )
  }
  if (key === 'approval' && value !== null && typeof value === 'object') {
    const entries = Object.entries(value).map(([name, item]) =>
      name === 'id' ? [name, item] : [name, rewrite(item, place)],
    )
    const isSame = entries.every(([name, item]) => (value as Record<string, unknown>)[name] === item)
    return isSame ? value : Object.fromEntries(entries)
  }
  return rewrite(value, place)
}

function idOf(part: object): string {
  return String((part as { id?: unknown }).id)
}

function rewriteParts(parts: MessagePart[], rewrite: RewriteValue): MessagePart[] {
  const rewritten = parts.map((part) => rewritePart(part, rewrite))
  return rewritten.some((part, index) => part !== parts[index]) ? rewritten : parts
}

/** Rewrites a URL as people read it: percent-decoded. What is left of a URL is a URL. */
function rewriteUrl(url: string, rewrite: (text: string) => string): string {
  const readable = decoded(url)
  const rewritten = rewrite(readable)
  if (rewritten === readable) return url
  const left = readable === url ? rewritten : encodeURI(rewritten)
  return URL.canParse(left) || !URL.canParse(url) ? left : 'https://redacted.invalid/'
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

function placeOf(part: { type: string }, field: string): ValuePlace {
  const { type } = part
  const { toolCallId, text } = part as { toolCallId?: unknown; text?: unknown }
  const place = { part: type, field, ...(typeof toolCallId === 'string' && { toolCallId }) }
  if (PROVIDER.has(field)) return { ...place, kind: 'provider' }
  if (isToolPart(part as MessagePart)) {
    return { ...place, kind: OF_CALL.has(field) ? 'tool-input' : 'tool-result' }
  }
  const isProse = field === 'text' && typeof text === 'string'
  if (type === 'reasoning' || type === 'thinking' || type === 'reasoning-file') {
    return { ...place, kind: 'reasoning', ...(isProse && { passage: 'reasoning' }) }
  }
  if (type === 'text') return { ...place, kind: 'text', ...(isProse && { passage: 'text' }) }
  return { ...place, kind: type.startsWith('data-') ? 'data' : 'text' }
}
