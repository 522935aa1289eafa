import type { Message, MessageList, MessagePart } from '@millrace/core'
import { isProse } from './preceding-text.ts'

/**
 * Removes the end of a part from a message when a later text completes a match that began there. Messages of this run
 * are edited in place; for all others the message list gets a copy.
 */
export class PartTruncator {
  readonly #messageList: MessageList
  /** Whether this message may be truncated. */
  readonly #mayTruncate: (message: Message) => boolean
  readonly #onTruncate: (id: string, truncated: Message | undefined) => void
  /** Messages after truncation, by id. `undefined`: nothing is left of the message. */
  readonly #truncated = new Map<string, Message | undefined>()
  readonly #parts = new Map<MessagePart, MessagePart>()

  constructor(
    messageList: MessageList,
    {
      mayTruncate,
      onTruncate = () => {},
    }: {
      mayTruncate: (message: Message) => boolean
      onTruncate?: (id: string, truncated: Message | undefined) => void
    },
  ) {
    this.#messageList = messageList
    this.#mayTruncate = mayTruncate
    this.#onTruncate = onTruncate
  }

  readonly truncate = (message: Message, part: MessagePart, keep: number): void => {
    const { id } = message
    if (!this.#mayTruncate(message)) return
    if (this.#messageList.originOf(id) === 'response') truncateInPlace(message, part, keep)
    else this.#copy(this.#truncated.has(id) ? this.#truncated.get(id) : message, part, keep)
  }

  #copy(message: Message | undefined, original: MessagePart, keep: number): void {
    if (!message) return
    const part = this.#parts.get(original) ?? original
    const shorter = { ...part, text: textOf(part).slice(0, keep) } as MessagePart
    this.#parts.set(original, shorter)
    const parts = message.content.parts.flatMap((each) => {
      if (each !== part) return [each]
      return keep === 0 ? [] : [shorter]
    })
    const isEmpty = parts.every(({ type }) => type === 'step-start')
    const truncated = isEmpty ? undefined : { ...message, content: { ...message.content, parts } }
    if (this.#messageList.find(message.id) === message) {
      if (truncated) this.#messageList.replace(truncated)
      else this.#messageList.remove(message.id)
    }
    this.#truncated.set(message.id, truncated)
    this.#onTruncate(message.id, truncated)
  }
}

function truncateInPlace({ content: { parts } }: Message, part: MessagePart, keep: number): void {
  const index = parts.indexOf(part)
  if (index === -1) return
  if (keep === 0) parts.splice(index, 1)
  else (part as { text: string }).text = textOf(part).slice(0, keep)
}

function textOf(part: MessagePart): string {
  return isProse(part, 'text') || isProse(part, 'reasoning') ? part.text : ''
}
