import type { Message, MessagePart, ProcessInputArgs, TextPart } from '@millrace/core'
import { withoutCodeInSlices } from './without-code.ts'

/** A range in the text of a turn. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * The user's text of this turn: the text parts of the newest user message of the input, joined by newlines.
 * History, tool results and messages added by processors are not part of it.
 */
export class TurnText {
  readonly #message: Message
  readonly text: string
  /** The same text, with code and quotations replaced by backticks. */
  readonly prose: string

  constructor(message: Message, { text, prose }: { text: string; prose: string }) {
    this.#message = message
    this.text = text
    this.prose = prose
  }

  /** Returns the message with replaced ranges. They must be in order, and each within one line. */
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
 * @param mark The characters that every reference begins with
 * @returns `undefined` if the user's text of this turn does not contain `mark`
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
