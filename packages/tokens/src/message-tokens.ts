import {
  isToolPart,
  type Message,
  type MessagePart,
  type SystemMessage,
  type TextPart,
  toolNameOf,
} from '@millrace/core'
import { SLICE, yieldToEventLoop } from '@millrace/guards/guard'
import type { Encoding } from './encoding.ts'
import { scaled, tokensInSlices, tokensOf } from './text-tokens.ts'

/** What a chat format adds to every message, and to the prompt: role, separators, the beginning of the answer. */
const PER_MESSAGE = 4
const PER_PROMPT = 3
/** What it adds to a tool call, and to its result. */
const PER_TOOL_BLOCK = 8
/** For a file, of which only the provider knows what it costs: about a large image. */
const PER_FILE = 1_600

/** A text that is counted: what it belongs to, and which of its texts it is. */
interface Counted {
  readonly owner: object
  readonly field: string
  readonly text: string
}

/** Counts messages for one encoding. Text that has not changed is not counted again. */
export class MessageTokens {
  readonly #encoding: Encoding
  readonly #known = new WeakMap<object, Map<string, { text: string; tokens: number }>>()

  constructor(encoding: Encoding) {
    this.#encoding = encoding
  }

  /**
   * Counts what is not known yet in slices, between which other work gets its turn. Undefined where that is so little that
   * it need not be.
   */
  prepare(messages: readonly Message[], systemMessages: readonly SystemMessage[]): Promise<void> | undefined {
    const unknown = [
      ...systemMessages.map((message) => textOf(message, message.content)),
      ...messages.flatMap(({ content }) => content.parts.flatMap((part) => textsOf(part))),
    ].filter((counted) => this.#find(counted) === undefined)
    const length = unknown.reduce((sum, { text }) => sum + text.length, 0)
    return length > SLICE ? this.#countInSlices(unknown) : undefined
  }

  async #countInSlices(unknown: readonly Counted[]): Promise<void> {
    let length = 0
    for (const counted of unknown) {
      length += counted.text.length
      if (length > SLICE) {
        await yieldToEventLoop()
        length = 0
      }
      this.#note(counted, await tokensInSlices(counted.text, this.#encoding))
    }
  }

  /** System messages, and what every prompt has. */
  ofSystem(messages: readonly SystemMessage[]): number {
    return messages.reduce(
      (sum, message) => sum + PER_MESSAGE + this.#count(textOf(message, message.content)),
      PER_PROMPT,
    )
  }

  of({ content: { parts } }: Message): number {
    return parts.reduce((sum, part) => sum + this.#ofPart(part), PER_MESSAGE)
  }

  #ofPart(part: MessagePart): number {
    if (part.type === 'file' || part.type === 'reasoning-file') return PER_FILE
    const plain = isToolPart(part) ? 2 * PER_TOOL_BLOCK : 0
    return textsOf(part).reduce((sum, counted) => sum + this.#count(counted), plain)
  }

  #count(counted: Counted): number {
    return this.#find(counted) ?? this.#note(counted, tokensOf(counted.text, this.#encoding))
  }

  #find({ owner, field, text }: Counted): number | undefined {
    const known = this.#known.get(owner)?.get(field)
    return known?.text === text ? known.tokens : undefined
  }

  #note({ owner, field, text }: Counted, count: number): number {
    const tokens = scaled(count, this.#encoding)
    const known = this.#known.get(owner) ?? new Map()
    known.set(field, { text, tokens })
    this.#known.set(owner, known)
    return tokens
  }
}

function textOf(owner: object, text: string, field = 'text'): Counted {
  return { owner, field, text }
}

/** The texts of a part that are counted. The name of a tool stands in its call and in its result. */
function textsOf(part: MessagePart): Counted[] {
  if (part.type === 'text' || part.type === 'reasoning') return [textOf(part, (part as TextPart).text)]
  if (!isToolPart(part)) return []
  const name = toolNameOf(part)
  const texts = [textOf(part, name, 'call'), textOf(part, name, 'result')]
  if (part.input !== undefined) texts.push(textOf(part, jsonOf(part.input), 'input'))
  if (part.state === 'output-available') texts.push(textOf(part, jsonOf(part.output), 'output'))
  if (part.state === 'output-error') texts.push(textOf(part, part.errorText, 'output'))
  if (part.state === 'output-denied') texts.push(textOf(part, part.approval.reason ?? '', 'output'))
  return texts
}

function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
