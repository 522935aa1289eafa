import { isRecord, type Message } from '@millrace/core'
import type { MastraMessage, MastraMessageList } from './mastra-types.ts'

type ListConstructor = new () => MastraMessageList

/** Converts a Mastra message, by means of Mastra's own list. */
export function fromMastra(message: MastraMessage, messageList: MastraMessageList): Message | undefined {
  const [ui] = fresh(messageList).add([message], 'input').get.all.aiV6.ui()
  if (!ui) return undefined
  const { role, parts, metadata } = ui
  const content = { parts, ...(isRecord(metadata) && { metadata }) }
  return { id: message.id, role, content, createdAt: message.createdAt }
}

/**
 * Converts a message to Mastra's format. If `before` is the Mastra message it came from, all fields except
 * the content are kept.
 */
export function toMastra(
  message: Message,
  messageList: MastraMessageList,
  before?: MastraMessage,
): MastraMessage {
  const {
    id,
    role,
    content: { parts },
    createdAt,
  } = message
  const [made] = fresh(messageList).add([{ id, role, parts }], 'input').get.all.db()
  const metadata = before?.content.metadata
  // Without the copy of the text that Mastra adds.
  const { content: _, ...content } = made?.content ?? { format: 2 as const, parts: [] }
  return {
    ...(before ?? { role }),
    id,
    createdAt,
    content: { ...content, ...(isRecord(metadata) && { metadata }) },
  }
}

function fresh(messageList: MastraMessageList): MastraMessageList {
  const List = messageList.constructor as ListConstructor
  return new List()
}
