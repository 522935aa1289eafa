import type { Message, MessageList, MessagePart } from '@millrace/core'
import { isProse } from './tail.ts'

/**
 * Removes the end of a part from a message when a later text completes a match that began there. Messages of this run
 * are edited in place; for all others the message list gets a copy.
 */
export class PartCutter {
  readonly #messageList: MessageList
  /** Whether this message may be cut. */
  readonly #mayCut: (message: Message) => boolean
  readonly #onCut: (id: string, left: Message | undefined) => void
  /** Messages after the cut, by id. `undefined`: nothing is left of the message. */
  readonly #left = new Map<string, Message | undefined>()
  readonly #parts = new Map<MessagePart, MessagePart>()

  constructor(
    messageList: MessageList,
    {
      mayCut,
      onCut = () => {},
    }: { mayCut: (message: Message) => boolean; onCut?: (id: string, left: Message | undefined) => void },
  ) {
    this.#messageList = messageList
    this.#mayCut = mayCut
    this.#onCut = onCut
  }

  readonly cut = (message: Message, part: MessagePart, keep: number): void => {
    const { id } = message
    if (!this.#mayCut(message)) return
    if (this.#messageList.originOf(id) === 'response') cutInPlace(message, part, keep)
    else this.#copy(this.#left.has(id) ? this.#left.get(id) : message, part, keep)
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
    const left = isEmpty ? undefined : { ...message, content: { ...message.content, parts } }
    if (this.#messageList.find(message.id) === message) {
      if (left) this.#messageList.replace(left)
      else this.#messageList.remove(message.id)
    }
    this.#left.set(message.id, left)
    this.#onCut(message.id, left)
  }
}

function cutInPlace({ content: { parts } }: Message, part: MessagePart, keep: number): void {
  const index = parts.indexOf(part)
  if (index === -1) return
  if (keep === 0) parts.splice(index, 1)
  else (part as { text: string }).text = textOf(part).slice(0, keep)
}

function textOf(part: MessagePart): string {
  return isProse(part, 'text') || isProse(part, 'reasoning') ? part.text : ''
}
