import type { RunDataParts } from '@millrace/core'
import type { UIMessage } from 'ai'

export type ChatMessage = UIMessage<{ 'millrace:turn'?: string }, RunDataParts>
export type ChatPart = ChatMessage['parts'][number]

export const textOf = ({ parts }: ChatMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
