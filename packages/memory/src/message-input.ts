import type { Message, MessageContent, MessagePart } from '@millrace/core'
import { fromUIMessage } from '@millrace/core'

/** A message to save. Fields can be left out. */
export interface MessageInput {
  /** Default: a random id. */
  id?: string | undefined
  role: Message['role']
  /** A text, or the content of a `Message`. */
  content?: string | MessageContent | undefined
  /** The parts of a `UIMessage`. Used if `content` is not given. */
  parts?: MessagePart[] | undefined
  /** The metadata of a `UIMessage`: of a user message, it is the client's. */
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
  const ui = fromUIMessage({ id: id ?? crypto.randomUUID(), role, parts: parts ?? [], metadata })
  return {
    ...ui,
    ...(content !== undefined && { content: contentOf(content) }),
    ...(createdAt && { createdAt }),
    ...(place.threadId !== undefined && { threadId: place.threadId }),
    ...(place.resourceId !== undefined && { resourceId: place.resourceId }),
  }
}

function contentOf(content: string | MessageContent): MessageContent {
  return typeof content === 'string' ? { parts: [{ type: 'text', text: content }] } : content
}
