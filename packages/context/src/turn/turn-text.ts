import type { Message, MessagePart, ProcessInputArgs, TextPart } from '@millrace/core'
import { withoutCodeInSlices } from './without-code.ts'

/** A place in the text of a turn. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * What the user wrote in this turn: the text parts of the newest user message that came as input, joined by newlines.
 * History, results of tools and what processors have added are not part of it.
 */
export class TurnText {
  readonly #message: Message
  readonly text: string
  /** The same text, with code and quotations blanked out by backticks. */
  readonly prose: string

  constructor(message: Message, { text, prose }: { text: string; prose: string }) {
    this.#message = message
    this.text = text
    this.prose = prose
  }

  /** The message with a text in place of each of the ranges, which are in order and within one line each. */
  replace(replacements: readonly (TextRange & { readonly text: string })[]): Message {
    let offset = 0
    const parts = this.#message.content.parts.map((part): MessagePart => {
      if (part.type !== 'text') return part
      const start = offset
      offset += part.text.length + 1
      const own = replacements.filter((range) => range.start >= start && range.end < offset)
      if (own.length === 0) return part
      let text = ''
      let done = 0
      for (const range of own) {
        text += part.text.slice(done, range.start - start) + range.text
        done = range.end - start
      }
      return { ...part, text: text + part.text.slice(done) }
    })
    return { ...this.#message, content: { ...this.#message.content, parts } }
  }
}

/**
 * @param mark What every reference begins with
 * @returns `undefined` where the user wrote nothing in this turn in which that occurs
 */
export async function turnText(
  { messages, messageList }: Pick<ProcessInputArgs, 'messages' | 'messageList'>,
  mark: string,
): Promise<TurnText | undefined> {
  const message = messages.findLast(({ id, role }) => role === 'user' && messageList.originOf(id) === 'input')
  if (!message) return undefined
  const text = textParts(message)
    .map((part) => part.text)
    .join('\n')
  if (!text.includes(mark)) return undefined
  return new TurnText(message, { text, prose: await withoutCodeInSlices(text) })
}

function textParts({ content }: Message): TextPart[] {
  return content.parts.filter((part) => part.type === 'text')
}
