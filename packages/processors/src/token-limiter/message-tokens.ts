import {
  isToolPart,
  type Message,
  type MessagePart,
  type SystemMessage,
  type TextPart,
  toolNameOf,
} from '@millrace/core'
import type { Encoding } from './encoding.ts'
import { scaled, tokensOf } from './text-tokens.ts'

/** What a chat format adds to every message, and to the prompt: role, separators, the beginning of the answer. */
const PER_MESSAGE = 4
const PER_PROMPT = 3
/** What it adds to a tool call, and to its result. */
const PER_TOOL_BLOCK = 8
/** For a file, of which only the provider knows what it costs: about a large image. */
const PER_FILE = 1_600

/** Counts messages for one encoding. Text that has not changed is not counted again. */
export class MessageTokens {
  readonly #encoding: Encoding
  readonly #known = new WeakMap<object, { text: string; tokens: number }>()

  constructor(encoding: Encoding) {
    this.#encoding = encoding
  }

  /** System messages, and what every prompt has. */
  ofSystem(messages: readonly SystemMessage[]): number {
    return messages.reduce(
      (sum, message) => sum + PER_MESSAGE + this.#of(message, message.content),
      PER_PROMPT,
    )
  }

  of({ content: { parts } }: Message): number {
    return parts.reduce((sum, part) => sum + this.#ofPart(part), PER_MESSAGE)
  }

  #ofPart(part: MessagePart): number {
    if (part.type === 'text' || part.type === 'reasoning') return this.#of(part, (part as TextPart).text)
    if (part.type === 'file' || part.type === 'reasoning-file') return PER_FILE
    if (!isToolPart(part)) return 0
    let sum = 2 * PER_TOOL_BLOCK + this.#count(toolNameOf(part)) * 2
    if (part.input !== undefined) sum += this.#json(part.input)
    if (part.state === 'output-available') sum += this.#json(part.output)
    if (part.state === 'output-error') sum += this.#count(part.errorText)
    if (part.state === 'output-denied') sum += this.#count(part.approval.reason ?? '')
    return sum
  }

  #json(value: unknown): number {
    return this.#count(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  }

  #of(owner: object, text: string): number {
    const known = this.#known.get(owner)
    if (known?.text === text) return known.tokens
    const tokens = this.#count(text)
    this.#known.set(owner, { text, tokens })
    return tokens
  }

  #count(text: string): number {
    return scaled(tokensOf(text, this.#encoding), this.#encoding)
  }
}
