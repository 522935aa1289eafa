import type { Incomplete, Message } from '@millrace/core'

/** The name under which `content.metadata` says what became of a turn that is not complete. */
export const TURN_MARK = 'millrace:turn'

/**
 * `stopped`, `failed`: the answer came to no end; what is there of it went out and has passed the guards. `open`: the turn is
 * under way, or its process died. `blocked` marks turns that earlier versions kept though a processor ended them; the model is
 * not shown them again.
 */
export type TurnMark = 'open' | 'blocked' | Incomplete

export function withMark(message: Message, mark: TurnMark): Message {
  const { content } = message
  return { ...message, content: { ...content, metadata: { ...content.metadata, [TURN_MARK]: mark } } }
}

/** Only this package marks turns: a mark that came with a message is not believed. */
export function withoutMark(message: Message): Message {
  const { content } = message
  if (content.metadata?.[TURN_MARK] === undefined) return message
  const { [TURN_MARK]: _, ...metadata } = content.metadata
  return { ...message, content: { ...content, metadata } }
}

export function isOpen({ content }: Message): boolean {
  return content.metadata?.[TURN_MARK] === 'open'
}

export function isBlocked({ content }: Message): boolean {
  return content.metadata?.[TURN_MARK] === 'blocked'
}
