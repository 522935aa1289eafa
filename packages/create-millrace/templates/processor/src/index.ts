import type { ProcessInputArgs, Processor } from '@millrace/core'

export interface MessageLimitOptions {
  /** The maximum length of a user message, in characters. */
  readonly maxCharacters: number
  /** Default: `'message-limit'`. */
  readonly id?: string
}

/**
 * Blocks user messages that are too long.
 *
 * @throws RangeError if `maxCharacters` is not a positive integer
 */
export class MessageLimit implements Processor {
  readonly id: string
  readonly #maxCharacters: number

  constructor({ maxCharacters, id = 'message-limit' }: MessageLimitOptions) {
    if (!Number.isSafeInteger(maxCharacters) || maxCharacters < 1) {
      throw new RangeError(`maxCharacters is ${maxCharacters}. Use a positive integer, such as 10000.`)
    }
    this.id = id
    this.#maxCharacters = maxCharacters
  }

  processInput({ messages, abort }: ProcessInputArgs): void {
    const newest = messages.findLast(({ role }) => role === 'user')
    const texts = newest?.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    if (length <= this.#maxCharacters) return
    // Reports the size, never the text: reasons go to logs and clients.
    abort(`The message has ${length} characters; ${this.#maxCharacters} are allowed.`)
  }
}
