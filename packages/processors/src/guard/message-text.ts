import { isToolPart, type Message, type MessagePart } from '@millrace/core'
import { rewriteDataUrl } from './data-url-text.ts'

/**
 * What a piece of a message is. `data`: what stands beside the words, such as a chat client's metadata and data parts.
 * `provider`: what the model's provider says about them, of which it may want to have back every character.
 */
export type TextKind = 'text' | 'reasoning' | 'tool-input' | 'tool-result' | 'data' | 'provider'

/** Where a value stands, for whoever rewrites it. */
export interface ValuePlace {
  readonly kind: TextKind
  /** The name it has in its part. */
  readonly field: string
  readonly toolCallId?: string
}

/** Rewrites a text, or JSON that texts are in. */
export type RewriteValue = (value: unknown, place: ValuePlace) => unknown

/**
 * What holds a message together and says nothing: to change it would break it. All else may have been written by
 * somebody, also in parts of types that nobody knows.
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

/** Of a tool part, what is said before the tool answers. */
const OF_CALL: ReadonlySet<string> = new Set(['input', 'rawInput', 'inputError', 'title', 'toolMetadata'])

/** The message with all that somebody has written in it rewritten: a copy, or the same where nothing changed. */
export function rewriteMessage(message: Message, rewrite: RewriteValue): Message {
  const { parts, metadata } = message.content
  const rewritten = rewriteParts(parts, rewrite)
  const data = metadata === undefined ? undefined : rewrite(metadata, { kind: 'data', field: 'metadata' })
  if (rewritten === parts && data === metadata) return message
  const content = { parts: rewritten, ...(data !== undefined && { metadata: data as typeof metadata & {} }) }
  return { ...message, content }
}

function rewriteParts(parts: MessagePart[], rewrite: RewriteValue): MessagePart[] {
  const rewritten = parts.map((part) => rewritePart(part, rewrite))
  return rewritten.some((part, index) => part !== parts[index]) ? rewritten : parts
}

/** A part, or a chunk that becomes one, rewritten: a copy, or the same where nothing changed. */
export function rewritePart<PART extends { type: string }>(part: PART, rewrite: RewriteValue): PART {
  let changes: Record<string, unknown> | undefined
  for (const [key, value] of Object.entries(part)) {
    if (value === undefined || STRUCTURE.has(key)) continue
    const left = rewriteField(part, key, value, rewrite)
    if (left === value) continue
    changes ??= {}
    changes[key] = left
  }
  return changes ? { ...part, ...changes } : part
}

function rewriteField(part: { type: string }, key: string, value: unknown, rewrite: RewriteValue): unknown {
  const place = placeOf(part, key)
  if (key === 'url' && (part.type === 'file' || part.type === 'reasoning-file')) {
    const { mediaType } = part as { mediaType?: string }
    return typeof value === 'string'
      ? rewriteDataUrl(value, (text) => rewrite(text, place) as string, { mediaType })
      : value
  }
  if (key === 'url' && typeof value === 'string')
    return rewriteUrl(value, (text) => rewrite(text, place) as string)
  if (key === 'parts' && part.type === 'steering-message' && Array.isArray(value)) {
    return rewriteParts(value, rewrite)
  }
  if (key === 'approval' && value !== null && typeof value === 'object') {
    const { id, ...answer } = value as { id?: unknown }
    const left = rewrite(answer, place)
    return left === answer ? value : { id, ...(left as object) }
  }
  return rewrite(value, place)
}

/** An address, read as people read it. */
function rewriteUrl(url: string, rewrite: (text: string) => string): string {
  const readable = decoded(url)
  const left = rewrite(readable)
  if (left === readable) return url
  return readable === url ? left : encodeURI(left)
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
  const { toolCallId } = part as { toolCallId?: unknown }
  const place = { field, ...(typeof toolCallId === 'string' && { toolCallId }) }
  if (PROVIDER.has(field)) return { ...place, kind: 'provider' }
  if (isToolPart(part as MessagePart)) {
    return { ...place, kind: OF_CALL.has(field) ? 'tool-input' : 'tool-result' }
  }
  if (type === 'reasoning' || type === 'thinking' || type === 'reasoning-file') {
    return { ...place, kind: 'reasoning' }
  }
  return { ...place, kind: type.startsWith('data-') ? 'data' : 'text' }
}
