import type { Incomplete, Message } from '@millrace/core'

/** The key in `content.metadata` that marks an incomplete turn. */
export const TURN_MARK = 'millrace:turn'

/**
 * `stopped`, `failed`: the answer is incomplete; the saved part was sent and has passed the guards. `blocked`:
 * a processor ended the turn after tools had been called; only the question and the calls are saved. `open`:
 * the turn is running, or its process crashed.
 */
export type TurnMark = 'open' | Incomplete

export function withMark(message: Message, mark: TurnMark): Message {
  const { content } = message
  return { ...message, content: { ...content, metadata: { ...content.metadata, [TURN_MARK]: mark } } }
}

/** Removes a mark that came with a message: only this package sets marks. */
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
