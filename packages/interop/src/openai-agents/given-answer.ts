import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { isRecord, MillraceError } from '@millrace/core'
import type { AnswerContent } from '../ai-sdk/answer-content.ts'
import type { AgentsContent, AgentsItem, CallItem, HostedCallItem, MessageItem } from './agents-types.ts'
import {
  contentsOf,
  isLeft,
  isText,
  type SaidItem,
  shown,
  textOf,
  withContents,
  withText,
} from './item-content.ts'
import { hostedOf } from './items-of-prompt.ts'
import { hostedId, hostedResult, parsed } from './prompt-of-items.ts'

type Metadata = ReturnType<typeof shown>

/** A piece of an item of the answer. */
interface Piece {
  item: SaidItem
  content: AgentsContent
}

/** A part of the answer, with the pieces it was made of. A streamed text may be several. */
interface GivenPart {
  pieces: readonly Piece[]
  metadata: Metadata
}

/** Text that is streamed as that of one item. */
interface Run {
  id: string
  itemId: string | undefined
  text: string
}

/**
 * What a model has answered, in parts of the AI SDK, and the items that are left of those: what the processors leave as it
 * was is given back as it came.
 */
export class GivenAnswer {
  readonly #parts = new Map<string, GivenPart>()
  readonly #calls = new Map<string, CallItem | HostedCallItem>()
  /** The order of all items, by which those that are left are sorted. */
  readonly #order = new Map<AgentsItem, number>()
  readonly #itemIds = new Map<string, string>()
  #runs: Run[] = []
  #count = 0

  /** The items that are left of all that was given, in its order. */
  itemsOf(content: AnswerContent, replacedText: string | undefined): AgentsItem[] {
    return new AnswerReader(this, content).read(content.settle(replacedText))
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
   * @throws MillraceError `MODEL_STREAM_FAILED` where what was streamed is not what the items say
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

  /** The item that a streamed text belongs to, where the model says so. */
  itemIdOf(id: string): string | undefined {
    return this.#itemIds.get(id)
  }

  /** Whether a text is a refusal: those are not streamed as text. */
  isRefusal(id: string): boolean {
    return this.#parts.get(id)?.pieces[0]?.content.type === 'refusal'
  }

  partOf(id: string | undefined): GivenPart | undefined {
    return id === undefined ? undefined : this.#parts.get(id)
  }

  callOf(id: string): CallItem | HostedCallItem | undefined {
    return this.#calls.get(id)
  }

  placeOf(item: AgentsItem): number | undefined {
    return this.#order.get(item)
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
        `The model answered with content of the type '${content.type}', which is none that a model says.`,
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

/** Takes the pieces that were streamed as `text`. Of the last text, the end may not have been streamed. */
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
    'The text that the model streamed is not the text of its response, so one of them was seen by no processor. Use run() without stream for this model.',
  )
}

function textsOf(pieces: readonly Piece[]): string {
  return pieces.map(({ content }) => textOf(content)).join('')
}

/** What the provider says of the pieces and their items. A part of no text is kept where it has something of its own. */
function metadataOf(pieces: readonly Piece[]): Metadata {
  const items = new Set(pieces.map(({ item }) => item))
  const data = [...items, ...pieces.map(({ content }) => content)].map(({ providerData }) => providerData)
  return shown({ data, ...(textsOf(pieces) === '' && { at: [] }) })
}

/** Makes items of the parts that are left of an answer. */
class AnswerReader {
  readonly #answer: GivenAnswer
  readonly #content: AnswerContent
  readonly #items: { place: number; read: () => AgentsItem }[] = []
  readonly #said = new Map<SaidItem, AgentsContent[]>()
  /** Items of which something was changed: what the provider said of them goes. */
  readonly #changed = new Set<SaidItem>()
  readonly #hosted = new Map<string, Extract<LanguageModelV4Content, { type: 'tool-call' }>>()
  #place = -1

  constructor(answer: GivenAnswer, content: AnswerContent) {
    this.#answer = answer
    this.#content = content
  }

  read(parts: readonly LanguageModelV4Content[]): AgentsItem[] {
    for (const part of parts) this.#readPart(part)
    for (const call of this.#hosted.values()) this.#hostedCall(call, undefined)
    const items = this.#items.sort((one, other) => one.place - other.place).map(({ read }) => read())
    // An answer of which nothing is left is an empty one: without any, the runner would ask again.
    return items.some(({ type }) => type !== 'reasoning') ? items : [...items, messageOf('')]
  }

  #readPart(part: LanguageModelV4Content): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this.#say(part)
        return
      case 'tool-call':
        if (part.providerExecuted) this.#hosted.set(part.toolCallId, part)
        else this.#call(part)
        return
      case 'tool-result': {
        const call = this.#hosted.get(part.toolCallId)
        this.#hosted.delete(part.toolCallId)
        if (call) this.#hostedCall(call, part)
        return
      }
    }
  }

  #say(part: Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>): void {
    const given = this.#answer.partOf(this.#content.idOf(part))
    const [first] = given?.pieces ?? []
    if (!given || !first) {
      if (part.type === 'text') this.#push(messageOf(part.text))
      else this.#push({ type: 'reasoning', content: [{ type: 'input_text', text: part.text }] })
      return
    }
    const isSame = part.text === textsOf(given.pieces)
    if (isSame && isLeft(part.providerMetadata, given.metadata)) {
      for (const { item, content } of given.pieces) this.#of(item).push(content)
    } else {
      for (const { item } of given.pieces) this.#changed.add(item)
      this.#of(first.item).push(withText(first.content, part.text))
    }
  }

  /** What is left of the pieces of an item. */
  #of(item: SaidItem): AgentsContent[] {
    const known = this.#said.get(item)
    if (known) return known
    const left: AgentsContent[] = []
    this.#said.set(item, left)
    this.#add(item, () => withContents(this.#changed.has(item) ? withoutData(item) : item, left))
    return left
  }

  #call(part: Extract<LanguageModelV4Content, { type: 'tool-call' }>): void {
    const { toolCallId: callId, toolName: name, input, providerMetadata } = part
    const given = this.#answer.callOf(callId)
    if (given?.type !== 'function_call') {
      this.#push({ type: 'function_call', callId, name, arguments: input, status: 'completed' })
      return
    }
    const isSame = given.name === name && JSON.stringify(parsed(given.arguments || '{}')) === jsonOf(input)
    const { providerData } = given
    const keeps = isSame && isLeft(providerMetadata, shown({ data: [providerData] }))
    // In the words of what was parsed: of a key that stands there twice, processors have seen one value.
    if (keeps && given.arguments === input) this.#add(given, () => given)
    else this.#add(given, () => ({ ...(keeps ? given : withoutData(given)), name, arguments: input }))
  }

  #hostedCall(
    call: Extract<LanguageModelV4Content, { type: 'tool-call' }>,
    answer: Extract<LanguageModelV4Content, { type: 'tool-result' }> | undefined,
  ): void {
    const { toolCallId: id, toolName: name, input, providerMetadata } = call
    const given = this.#answer.callOf(id)
    const result: unknown = answer?.result
    if (providerMetadata?.millrace?.answered === true || given?.type !== 'hosted_tool_call') {
      const output = typeof result === 'string' ? result : JSON.stringify(result)
      const providerData = { millrace: { answered: true } }
      const item = {
        type: 'hosted_tool_call' as const,
        id,
        name,
        arguments: input,
        status: 'completed',
        output,
        providerData,
      }
      if (given) this.#add(given, () => item)
      else this.#push(item)
      return
    }
    const isSame =
      JSON.stringify(parsed(given.arguments || '{}')) === jsonOf(input) &&
      JSON.stringify(hostedResult(given)) === JSON.stringify(result)
    const isSameText = given.arguments === undefined || given.arguments === input
    this.#add(given, () =>
      isSame && isSameText
        ? given
        : hostedOf(given, input, isRecord(result) || result === undefined ? (result ?? {}) : result),
    )
  }

  #push(item: AgentsItem): void {
    this.#add(item, () => item)
  }

  /** What was not given has its place behind what it was said after. */
  #add(given: AgentsItem, read: () => AgentsItem): void {
    this.#place = this.#answer.placeOf(given) ?? this.#place
    this.#items.push({ place: this.#place, read })
  }
}

function withoutData<ITEM extends AgentsItem>({ providerData: _, ...item }: ITEM): ITEM {
  return item as ITEM
}

function messageOf(text: string): MessageItem {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

function jsonOf(input: string): string {
  return JSON.stringify(parsed(input))
}
