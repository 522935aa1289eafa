import type { Message, MessageContent, MessagePart } from '@millrace/core'
import { isRecord } from '@millrace/core'

/** A message to save. Fields can be left out. */
export interface MessageInput {
  /** Default: a random id. */
  id?: string | undefined
  role: Message['role']
  /** A text, or the content of a `Message`. */
  content?: string | MessageContent | undefined
  /** The parts of a `UIMessage`. Used if `content` is not given. */
  parts?: MessagePart[] | undefined
  /** The metadata of a `UIMessage`. */
  metadata?: unknown
  /** Default: now. */
  createdAt?: Date | undefined
  threadId?: string | undefined
  resourceId?: string | undefined
}

/** Fills in the missing fields. */
export function toMessage({
  id,
  role,
  content,
  parts,
  metadata,
  createdAt,
  ...place
}: MessageInput): Message {
  return {
    id: id ?? crypto.randomUUID(),
    role,
    content: contentOf(content ?? { parts: parts ?? [], ...(isRecord(metadata) && { metadata }) }),
    createdAt: createdAt ?? new Date(),
    ...(place.threadId !== undefined && { threadId: place.threadId }),
    ...(place.resourceId !== undefined && { resourceId: place.resourceId }),
  }
}

function contentOf(content: string | MessageContent): MessageContent {
  return typeof content === 'string' ? { parts: [{ type: 'text', text: content }] } : content
}
