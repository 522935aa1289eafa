import {
  isRecord,
  isToolPart,
  type Message,
  type MessagePart,
  type SystemMessage,
  type TextPart,
  type Tool,
  type ToolPart,
  toolNameOf,
} from '@millrace/core'
import { SLICE, yieldToEventLoop } from '@millrace/guards/guard'
import type { Encoding } from './encoding.ts'
import { scaled, tokensInSlices, tokensOf } from './text-tokens.ts'

/** Tokens that a chat format adds to every message and to the prompt: role, separators, the beginning of the answer. */
const PER_MESSAGE = 4
const PER_PROMPT = 3
/** Tokens added to a tool call, and to its result. */
const PER_TOOL_BLOCK = 8
/** The estimate for a file: the cost of a large image. Only the provider knows the actual cost. */
const PER_FILE = 1_600
/** Tokens added to the definition of a tool. */
const PER_DEFINITION = 8
/** The maximum number of cached counts of system messages and definitions. */
const MOST_TEXTS = 256

/** A custom function that counts the tokens of a text. */
export type CountText = (text: string) => number | Promise<number>

/** The parts of a prompt that are not messages: tools, and the schema of the answer. */
export interface Definitions {
  /** Each definition as JSON, as it is sent. */
  readonly texts: readonly string[]
  /** The `toModelOutput` functions of tools, by tool name. */
  readonly views: ReadonlyMap<string, View>
}

type View = NonNullable<Tool['toModelOutput']>

/** The tokens of a part, and the fields it was counted with. */
interface PartSize {
  readonly owner: MessagePart
  /** A copy of the part when it was counted. */
  readonly part: LoosePart
  /** Its texts, until they are counted. */
  texts: readonly string[]
  /** Tokens in addition to those of its texts. */
  plain: number
  /** Whether the output was counted as returned by `toModelOutput` of its tool. */
  isViewed: boolean
  tokens: number | undefined
  /** The bytes of its texts, if they were needed before the tokens were counted. */
  bytes: number | undefined
}

type LoosePart = { readonly type: string } & {
  readonly [KEY in 'text' | 'input' | 'output' | 'state' | 'errorText' | 'approval']?: unknown
}

const UTF_8 = new TextEncoder()

const NONE: Definitions = { texts: [], views: new Map() }

/**
 * Counts messages with one encoding or a custom function. A part is counted again only if one of its fields has a new
 * value. In-place changes within an input or output are not noticed.
 */
export class MessageTokens {
  readonly #encoding: Encoding | undefined
  readonly #count: CountText | undefined
  readonly #sizes = new WeakMap<MessagePart, PartSize>()
  /** Sizes by list of parts, since looking up each part of a long run at every step would be slow. */
  readonly #lists = new WeakMap<readonly MessagePart[], PartSize[]>()
  /** Counts of system messages and definitions, by text: they are new objects in every step. */
  readonly #texts = new Map<string, number>()

  constructor(counter: Encoding | CountText) {
    if (typeof counter === 'function') this.#count = counter
    else this.#encoding = counter
  }

  /**
   * Counts texts without a cached count, in slices that yield to the event loop. Returns undefined if they are short
   * enough to be counted on demand. With a custom function, or tools with `toModelOutput`, counts can only be read after
   * this.
   */
  prepare(
    messages: readonly Pick<Message, 'content'>[],
    systemMessages: readonly SystemMessage[],
    { texts, views }: Definitions = NONE,
  ): Promise<void> | undefined {
    let length = 0
    const unknown: PartSize[] = []
    const shown: [PartSize, View][] = []
    for (const { content } of messages) {
      for (const size of this.#sizesOf(content.parts)) {
        const view = views.size > 0 && !size.isViewed ? viewOf(size.owner, views) : undefined
        if (view) shown.push([size, view])
        if (view || size.tokens !== undefined) continue
        unknown.push(size)
        for (const text of size.texts) length += text.length
      }
    }
    const others = [...systemMessages.map(({ content }) => content), ...texts].filter(
      (text) => !this.#texts.has(text),
    )
    for (const text of others) length += text.length
    if (shown.length === 0 && length <= SLICE && !(this.#count && length > 0)) return undefined
    return this.#countAll(unknown, others, shown)
  }

  async #countAll(
    unknown: PartSize[],
    others: readonly string[],
    shown: readonly (readonly [PartSize, View])[],
  ): Promise<void> {
    for (const [size, view] of shown) {
      const part = size.owner as AnsweredPart
      const content = contentOf(part, await shownBy(part, view))
      unknown.push(Object.assign(size, content, { tokens: undefined, bytes: undefined, isViewed: true }))
    }
    let length = 0
    const inTurn = async (text: string): Promise<number> => {
      length += text.length
      if (length > SLICE) {
        await yieldToEventLoop()
        length = 0
      }
      if (this.#count) return this.#count(text)
      const encoding = this.#encoding as Encoding
      return scaled(await tokensInSlices(text, encoding), encoding)
    }
    for (const text of others) this.#noteText(text, await inTurn(text))
    for (const size of unknown) {
      let tokens = size.plain
      for (const text of size.texts) tokens += await inTurn(text)
      settle(size, tokens)
    }
  }

  /** The tokens of system messages, and of the prompt's own format. */
  ofSystem(messages: readonly SystemMessage[]): number {
    let total = PER_PROMPT
    for (const { content } of messages) total += PER_MESSAGE + this.#ofText(content)
    return total
  }

  ofDefinitions({ texts }: Definitions): number {
    let total = 0
    for (const text of texts) total += PER_DEFINITION + this.#ofText(text)
    return total
  }

  of({ content: { parts } }: Pick<Message, 'content'>): number {
    let total = PER_MESSAGE
    for (const size of this.#sizesOf(parts)) total += size.tokens ?? this.#countNow(size)
    return total
  }

  /** An upper bound for the tokens of a message. Does not count texts that are not counted yet. */
  atMost({ content: { parts } }: Pick<Message, 'content'>): number {
    let total = PER_MESSAGE
    for (const size of this.#sizesOf(parts)) total += size.tokens ?? this.#boundOf(size)
    return total
  }

  /** A token has at least one byte of UTF-8. */
  #boundOf(size: PartSize): number {
    if (this.#encoding === undefined) return Number.POSITIVE_INFINITY
    size.bytes ??= size.texts.reduce((bytes, text) => bytes + UTF_8.encode(text).length, 0)
    return size.plain + Math.ceil(size.bytes * this.#encoding.factor) + size.texts.length
  }

  #sizesOf(parts: readonly MessagePart[]): readonly PartSize[] {
    let sizes = this.#lists.get(parts)
    if (!sizes) {
      sizes = []
      this.#lists.set(parts, sizes)
    }
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as MessagePart
      const size = sizes[index]
      if (size?.owner === part && isUnchanged(part as LoosePart, size.part)) continue
      sizes[index] = this.#size(part)
    }
    sizes.length = parts.length
    return sizes
  }

  #countNow(size: PartSize): number {
    let tokens = size.plain
    for (const text of size.texts) tokens += this.#now(text)
    return settle(size, tokens)
  }

  #now(text: string): number {
    if (this.#encoding) return scaled(tokensOf(text, this.#encoding), this.#encoding)
    const tokens = text === '' ? 0 : this.#count?.(text)
    if (typeof tokens === 'number') return tokens
    throw new TypeError('The counting function is asynchronous. Await prepare() before reading counts.')
  }

  #size(part: MessagePart): PartSize {
    return this.#known(part) ?? this.#note(part)
  }

  #known(part: MessagePart): PartSize | undefined {
    const known = this.#sizes.get(part)
    return known && isUnchanged(part as LoosePart, known.part) ? known : undefined
  }

  #note(part: MessagePart): PartSize {
    const size = {
      owner: part,
      part: { ...part } as LoosePart,
      ...contentOf(part),
      isViewed: false,
      tokens: undefined,
      bytes: undefined,
    }
    this.#sizes.set(part, size)
    return size
  }

  #ofText(text: string): number {
    return this.#texts.get(text) ?? this.#noteText(text, this.#now(text))
  }

  #noteText(text: string, tokens: number): number {
    if (this.#texts.size >= MOST_TEXTS) this.#texts.delete(this.#texts.keys().next().value as string)
    this.#texts.set(text, tokens)
    return tokens
  }
}

function settle(size: PartSize, tokens: number): number {
  size.tokens = tokens
  size.texts = []
  return tokens
}

function isUnchanged(part: LoosePart, copy: LoosePart): boolean {
  return (
    part.text === copy.text &&
    part.output === copy.output &&
    part.input === copy.input &&
    part.state === copy.state &&
    part.errorText === copy.errorText &&
    part.approval === copy.approval &&
    part.type === copy.type
  )
}

/** The countable content of a part or an output: its texts, and a number of tokens for everything else. */
interface CountedContent {
  readonly texts: readonly string[]
  readonly plain: number
}

const NOTHING: CountedContent = { texts: [], plain: 0 }

function contentOf(part: MessagePart, view?: CountedContent): CountedContent {
  if (part.type === 'file' || part.type === 'reasoning-file') return { texts: [], plain: PER_FILE }
  if (part.type === 'text' || part.type === 'reasoning') return { texts: [(part as TextPart).text], plain: 0 }
  if (part.type === 'steering-message') {
    const parts = part.parts.map((inner) => contentOf(inner))
    return { texts: parts.flatMap(({ texts }) => texts), plain: sum(parts) + PER_MESSAGE }
  }
  if (!isToolPart(part)) return NOTHING
  const name = toolNameOf(part)
  const answer = view ?? answerOf(part)
  // The name of a tool is in the call and in the result.
  const texts = [name, name, ...(part.input === undefined ? [] : [jsonOf(part.input)]), ...answer.texts]
  return { texts, plain: 2 * PER_TOOL_BLOCK + answer.plain }
}

function answerOf(part: ToolPart): CountedContent {
  if (part.state === 'output-available') return outputOf(part.output)
  if (part.state === 'output-error') return { texts: [part.errorText], plain: 0 }
  if (part.state === 'output-denied') return { texts: [part.approval.reason ?? ''], plain: 0 }
  return NOTHING
}

/** Counts an output of type `content`, such as text with images, by its items; anything else as text or JSON. */
function outputOf(output: unknown): CountedContent {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) {
    return { texts: [jsonOf(output)], plain: 0 }
  }
  const items = output.value.map((item): CountedContent => {
    const isText = isRecord(item) && item.type === 'text' && typeof item.text === 'string'
    return isText ? { texts: [item.text as string], plain: 0 } : { texts: [], plain: PER_FILE }
  })
  return { texts: items.flatMap(({ texts }) => texts), plain: sum(items) }
}

function sum(parts: readonly CountedContent[]): number {
  return parts.reduce((total, { plain }) => total + plain, 0)
}

type AnsweredPart = Extract<ToolPart, { state: 'output-available' }>

function viewOf(part: MessagePart, views: Definitions['views']): View | undefined {
  return isToolPart(part) && part.state === 'output-available' ? views.get(toolNameOf(part)) : undefined
}

/** An output as its tool shows it to the model; the plain output if the tool's function throws. */
async function shownBy(part: AnsweredPart, toModelOutput: View): Promise<CountedContent> {
  const { toolCallId, input, output } = part
  try {
    const view = await toModelOutput({ toolCallId, input, output })
    return outputOf(view.type === 'content' || !('value' in view) ? view : view.value)
  } catch {
    return outputOf(output)
  }
}

function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
