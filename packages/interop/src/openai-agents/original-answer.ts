import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MillraceError } from '@millrace/core'
import type { AgentsContent, AgentsItem, CallItem, HostedCallItem } from './agents-types.ts'
import { type ContentItem, contentsOf, isText, shown, textOf } from './item-content.ts'
import { hostedId, hostedResult } from './prompt-of-items.ts'

type Metadata = ReturnType<typeof shown>

/** A content piece of an item of the answer. */
export interface Piece {
  item: ContentItem
  content: AgentsContent
}

/** A part of the answer, with the pieces it was made of. A streamed text can have several pieces. */
export interface OriginalPart {
  pieces: readonly Piece[]
  metadata: Metadata
}

/** Streamed text that belongs to one item. */
interface Run {
  id: string
  itemId: string | undefined
  text: string
}

/** The answer of a model as parts of the AI SDK, with the items they were made of. */
export class OriginalAnswer {
  readonly #parts = new Map<string, OriginalPart>()
  readonly #calls = new Map<string, CallItem | HostedCallItem>()
  /** The original order of all items, by which the remaining ones are sorted. */
  readonly #order = new Map<AgentsItem, number>()
  readonly #itemIds = new Map<string, string>()
  #runs: Run[] = []
  #count = 0

  /** The id of the item that a streamed text belongs to, if the model reports it. */
  itemIdOf(id: string): string | undefined {
    return this.#itemIds.get(id)
  }

  /** Whether a text is a refusal, which is not streamed as text. */
  isRefusal(id: string): boolean {
    return this.#parts.get(id)?.pieces[0]?.content.type === 'refusal'
  }

  partOf(id: string | undefined): OriginalPart | undefined {
    return id === undefined ? undefined : this.#parts.get(id)
  }

  callOf(id: string): CallItem | HostedCallItem | undefined {
    return this.#calls.get(id)
  }

  indexOf(item: AgentsItem): number | undefined {
    return this.#order.get(item)
  }

  *delta({
    delta,
    itemId,
  }: {
    delta: string
    itemId?: string | undefined
  }): Generator<LanguageModelV4StreamPart> {
    let run = this.#runs.at(-1)
    if (run === undefined || run.itemId !== itemId) {
      run = { id: this.#nextId(), itemId, text: '' }
      this.#runs.push(run)
      if (itemId !== undefined) this.#itemIds.set(run.id, itemId)
      yield { type: 'text-start', id: run.id }
    }
    run.text += delta
    yield { type: 'text-delta', id: run.id, delta }
  }

  /**
   * The parts of the items that were not streamed.
   *
   * @throws MillraceError `MODEL_STREAM_FAILED` if the streamed text differs from that of the items
   */
  *end(items: readonly AgentsItem[]): Generator<LanguageModelV4StreamPart> {
    for (const item of items) this.#order.set(item, this.#order.size)
    const pieces = items
      .flatMap(spoken)
      .filter(({ content }) => content.type === 'output_text')
      .values()
    const streamed = new Set<Piece['content']>()
    for (const [index, run] of this.#runs.entries()) {
      const isLast = index === this.#runs.length - 1
      const own = takePieces(pieces, run.text, isLast)
      for (const { content } of own) streamed.add(content)
      yield* this.#rest(run, own)
    }
    this.#runs = []
    for (const item of items) yield* this.#itemParts(item, streamed)
  }

  *#rest(run: Run, pieces: readonly Piece[]): Generator<LanguageModelV4StreamPart> {
    const { id } = run
    const rest = textsOf(pieces).slice(run.text.length)
    if (rest !== '') yield { type: 'text-delta', id, delta: rest }
    const metadata = metadataOf(pieces)
    this.#parts.set(id, { pieces, metadata })
    yield { type: 'text-end', id, ...(metadata && { providerMetadata: metadata }) }
  }

  *#itemParts(item: AgentsItem, streamed: ReadonlySet<AgentsContent>): Generator<LanguageModelV4StreamPart> {
    if (item.type === 'function_call') yield* this.#callParts(item)
    else if (item.type === 'hosted_tool_call') yield* this.#hostedParts(item)
    else if (item.type !== 'function_call_result') {
      for (const piece of spoken(item)) if (!streamed.has(piece.content)) yield* this.#pieceParts(piece)
    }
  }

  *#pieceParts(piece: Piece): Generator<LanguageModelV4StreamPart> {
    const { item, content } = piece
    if (!isText(content)) {
      throw new MillraceError(
        'MODEL_STREAM_FAILED',
        `The model returned content of type '${content.type}', which is not supported in an answer.`,
      )
    }
    const type = item.type === 'reasoning' ? 'reasoning' : 'text'
    const id = this.#nextId()
    const metadata = metadataOf([piece])
    this.#parts.set(id, { pieces: [piece], metadata })
    yield { type: `${type}-start`, id, ...(metadata && { providerMetadata: metadata }) }
    yield { type: `${type}-delta`, id, delta: textOf(content) }
    yield { type: `${type}-end`, id }
  }

  *#callParts(item: CallItem): Generator<LanguageModelV4StreamPart> {
    const { callId: toolCallId, name: toolName, arguments: input, providerData } = item
    const metadata = shown({ data: [providerData] })
    this.#calls.set(toolCallId, item)
    yield { type: 'tool-call', toolCallId, toolName, input, ...(metadata && { providerMetadata: metadata }) }
  }

  *#hostedParts(item: HostedCallItem): Generator<LanguageModelV4StreamPart> {
    const toolCallId = hostedId(item, crypto.randomUUID())
    const identity = { toolCallId, toolName: item.name }
    this.#calls.set(toolCallId, item)
    yield { type: 'tool-call', ...identity, input: item.arguments ?? '{}', providerExecuted: true }
    yield { type: 'tool-result', ...identity, result: hostedResult(item) as never }
  }

  #nextId(): string {
    return String(this.#count++)
  }
}

function spoken(item: AgentsItem): Piece[] {
  const isSpoken = item.type === undefined || item.type === 'message' || item.type === 'reasoning'
  return isSpoken ? contentsOf(item).map((content) => ({ item, content })) : []
}

/** Takes the pieces that were streamed as `text`. The last text may have been streamed only up to a point. */
function takePieces(pieces: Iterator<Piece>, text: string, isLast: boolean): Piece[] {
  const taken: Piece[] = []
  let length = 0
  while (length < text.length) {
    const { done, value } = pieces.next()
    if (done) break
    taken.push(value)
    length += textOf(value.content).length
  }
  const said = textsOf(taken)
  if (isLast ? said.startsWith(text) : said === text) return taken
  throw new MillraceError(
    'MODEL_STREAM_FAILED',
    'The streamed text differs from the text of the response, so no processor has seen one of them. Use run() without stream for this model.',
  )
}

export function textsOf(pieces: readonly Piece[]): string {
  return pieces.map(({ content }) => textOf(content)).join('')
}

/**
 * The provider data of the pieces and their items. A part without text is kept if it has provider data of its
 * own.
 */
function metadataOf(pieces: readonly Piece[]): Metadata {
  const items = new Set(pieces.map(({ item }) => item))
  const data = [...items, ...pieces.map(({ content }) => content)].map(({ providerData }) => providerData)
  return shown({ data, ...(textsOf(pieces) === '' && { at: [] }) })
}
