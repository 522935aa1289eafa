import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { isRecord, toDataUrl } from '@millrace/core'
import type { AgentsContent, AgentsItem, CallItem, HostedCallItem, ResultItem } from './agents-types.ts'
import {
  type ContentItem,
  contentsOf,
  isUnchanged,
  remainingMetadata,
  textOf,
  withContents,
  withText,
} from './item-content.ts'
import { hostedResult, outputOf, parsed } from './prompt-of-items.ts'

type Part = Exclude<LanguageModelV4Message, { role: 'system' }>['content'][number]

/** The items after the processors. */
export interface ResultingItems {
  items: readonly AgentsItem[]
  /** The previous index of an item; `undefined` for a new one. */
  indexOf(item: AgentsItem): number | undefined
  instructions: string | undefined
}

/**
 * Converts a prompt back to the items it was made from. Unchanged items are returned as they came.
 *
 * @param before The prompt before the processors
 */
export function itemsOfPrompt(
  prompt: LanguageModelV4Prompt,
  { given, before }: { given: readonly AgentsItem[]; before: LanguageModelV4Prompt },
): ResultingItems {
  const reader = new PromptReader(given, before)
  for (const message of prompt) {
    if (message.role === 'system') reader.readSystem(message)
    else for (const part of message.content) reader.readPart(message.role, part)
  }
  return reader.end()
}

class PromptReader {
  readonly #given: readonly AgentsItem[]
  /** The parts of the prompt before the processors. */
  readonly #before: ReadonlyMap<string, Part>
  readonly #items: (AgentsItem | ItemBuilder)[] = []
  readonly #gathered = new Map<number, ItemBuilder>()
  readonly #places = new Map<AgentsItem, number>()
  readonly #instructions: string[] = []
  /** Calls that the provider executed, until their results follow. */
  readonly #hosted = new Map<string, LanguageModelV4ToolCallPart>()

  constructor(given: readonly AgentsItem[], before: LanguageModelV4Prompt) {
    this.#given = given
    const parts = new Map<string, Part>()
    for (const message of before) {
      if (message.role === 'system') continue
      for (const part of message.content) parts.set(keyOf(part, remainingMetadata(optionsOf(part)).at), part)
    }
    this.#before = parts
  }

  readSystem({ content, providerOptions }: Extract<LanguageModelV4Message, { role: 'system' }>): void {
    const [index] = remainingMetadata(providerOptions).at ?? []
    const item = index === undefined ? undefined : this.#given[index]
    if (index === undefined || item === undefined || (item.type !== undefined && item.type !== 'message'))
      this.#instructions.push(content)
    else {
      const isSame = contentsOf(item).map(textOf).join('\n') === content
      const { providerData: _, ...rest } = item
      this.#push(isSame ? item : { ...rest, content }, index)
    }
  }

  readPart(role: 'user' | 'assistant' | 'tool', part: Part): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
      case 'file':
        this.#say(role === 'user' ? 'user' : 'assistant', part)
        return
      case 'tool-call':
        if (part.providerExecuted) this.#hosted.set(part.toolCallId, part)
        else this.#call(part)
        return
      case 'tool-result': {
        const call = this.#hosted.get(part.toolCallId)
        this.#hosted.delete(part.toolCallId)
        if (call) this.#hostedCall(call, part)
        else this.#result(part)
        return
      }
    }
  }

  end(): ResultingItems {
    const items = this.#items.map((entry) => {
      if (!(entry instanceof ItemBuilder)) return entry
      const item = withContents(entry.item, entry.contents)
      this.#places.set(item, entry.index)
      return item
    })
    return {
      instructions: this.#instructions.length > 0 ? this.#instructions.join('\n\n') : undefined,
      // A prompt has its system messages first.
      items: isSameSet(items, this.#given) ? this.#given : items,
      indexOf: (item) => this.#places.get(item),
    }
  }

  #say(role: 'user' | 'assistant', part: Extract<Part, { type: 'text' | 'reasoning' | 'file' }>): void {
    const { at } = remainingMetadata(part.providerOptions)
    const [index = -1, place = -1] = at ?? []
    const item = this.#given[index]
    const before = this.#before.get(keyOf(part, at))
    if (!before || !isContentItem(item)) {
      this.#items.push(fresh(role, part))
      return
    }
    let gathered = this.#gathered.get(index)
    if (!gathered) {
      gathered = new ItemBuilder(item, index)
      this.#gathered.set(index, gathered)
      this.#items.push(gathered)
    }
    const content = contentsOf(item)[place] as AgentsContent
    if (JSON.stringify(before) === JSON.stringify(part)) gathered.contents.push(content)
    else gathered.change(part.type === 'file' ? fileContent(part) : withText(content, part.text))
  }

  #call(part: LanguageModelV4ToolCallPart): void {
    const { toolCallId: callId, toolName: name, input } = part
    const json = typeof input === 'string' ? input : JSON.stringify(input)
    const { index, item } = this.#original<CallItem>(part)
    if (item === undefined) {
      this.#push({ type: 'function_call', callId, name, arguments: json, status: 'completed' })
    } else if (item.name === name && isSameInput(item, input) && this.#isLeft(part)) {
      // Uses the parsed input: with a duplicate key, no processor has seen the first value.
      this.#push(item.arguments === json ? item : { ...item, arguments: json }, index)
    } else {
      const { providerData: _, ...rest } = item
      this.#push({ ...rest, name, arguments: json }, index)
    }
  }

  #result(part: LanguageModelV4ToolResultPart): void {
    const { toolCallId: callId, toolName: name } = part
    const { index, item } = this.#original<ResultItem>(part)
    const isSame = item && JSON.stringify(outputOf(item)) === JSON.stringify(part.output)
    if (isSame && this.#isLeft(part)) this.#push(item, index)
    else {
      const { providerData: _, ...rest } = item ?? { type: 'function_call_result' as const, callId, name }
      this.#push({ ...rest, status: 'completed', output: resultOutput(part) }, index)
    }
  }

  #hostedCall(call: LanguageModelV4ToolCallPart, result: LanguageModelV4ToolResultPart): void {
    const { index, item } = this.#original<HostedCallItem>(call)
    const isSame =
      item &&
      isSameInput(item, call.input) &&
      JSON.stringify(result.output) === JSON.stringify({ type: 'json', value: hostedResult(item) })
    if (isSame) this.#push(item, index)
    else {
      const { value } = result.output as { value?: unknown }
      this.#push(
        hostedOf(item ?? { type: 'hosted_tool_call', name: call.toolName }, call.input, value),
        index,
      )
    }
  }

  #original<ITEM extends AgentsItem>(part: Part): { index: number | undefined; item: ITEM | undefined } {
    const { at } = remainingMetadata(optionsOf(part))
    const before = this.#before.get(keyOf(part, at))
    const index = before && at?.[0]
    return { index, item: index === undefined ? undefined : (this.#given[index] as ITEM) }
  }

  #isLeft(part: Part): boolean {
    const before = this.#before.get(keyOf(part, remainingMetadata(optionsOf(part)).at))
    return before !== undefined && isUnchanged(optionsOf(part), optionsOf(before))
  }

  #push(item: AgentsItem, index?: number): void {
    if (index !== undefined) this.#places.set(item, index)
    this.#items.push(item)
  }
}

/** Collects an item whose pieces arrive one by one. */
class ItemBuilder {
  readonly contents: AgentsContent[] = []
  item: ContentItem
  readonly index: number

  constructor(item: ContentItem, index: number) {
    this.item = item
    this.index = index
  }

  /** Adds a changed piece: the provider data of the item is dropped. */
  change(content: AgentsContent): void {
    const { providerData: _, ...rest } = this.item
    this.item = rest
    this.contents.push(content)
  }
}

function isSameSet(items: readonly AgentsItem[], given: readonly AgentsItem[]): boolean {
  if (items.length !== given.length) return false
  const known = new Set(given)
  return items.every((item) => known.has(item))
}

function isContentItem(item: AgentsItem | undefined): item is ContentItem {
  return (
    item !== undefined && (item.type === undefined || item.type === 'message' || item.type === 'reasoning')
  )
}

function optionsOf(part: Part): unknown {
  return 'providerOptions' in part ? part.providerOptions : undefined
}

/** The key of a part: its type, its position, and its call id. */
function keyOf(part: Part, at: readonly number[] | undefined): string {
  const id = part.type === 'tool-call' || part.type === 'tool-result' ? part.toolCallId : ''
  return `${part.type} ${JSON.stringify(at)} ${id}`
}

/** A hosted call, with the remaining input and result. */
export function hostedOf(
  { output: _, providerData: __, ...item }: HostedCallItem,
  input: unknown,
  result: unknown,
): HostedCallItem {
  const { output, data } = isRecord(result) ? result : { output: result, data: undefined }
  return {
    ...item,
    ...(item.arguments !== undefined && {
      arguments: typeof input === 'string' ? input : JSON.stringify(input),
    }),
    ...(output !== undefined && { output: typeof output === 'string' ? output : JSON.stringify(output) }),
    ...(isRecord(data) && { providerData: data }),
  }
}

function isSameInput({ arguments: json }: { arguments?: string }, input: unknown): boolean {
  return JSON.stringify(json === undefined ? {} : parsed(json)) === JSON.stringify(input)
}

function resultOutput({ output }: LanguageModelV4ToolResultPart): ResultItem['output'] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { type: 'text', text: output.value }
    case 'json':
    case 'error-json':
      return { type: 'text', text: JSON.stringify(output.value) }
    case 'execution-denied':
      return { type: 'text', text: output.reason ?? 'The call was denied.' }
    case 'content':
      return output.value.flatMap((part): AgentsContent[] => {
        if (part.type === 'text') return [{ type: 'input_text', text: part.text }]
        return part.type === 'file' ? [fileContent(part as LanguageModelV4FilePart)] : []
      })
  }
}

function fresh(
  role: 'user' | 'assistant',
  part: Extract<Part, { type: 'text' | 'reasoning' | 'file' }>,
): AgentsItem {
  if (part.type === 'reasoning')
    return { type: 'reasoning', content: [{ type: 'input_text', text: part.text }] }
  const text = (value: string): AgentsContent => ({
    type: role === 'user' ? 'input_text' : 'output_text',
    text: value,
  })
  const content = [part.type === 'file' ? fileContent(part) : text(part.text)]
  return role === 'user' ? { role, content } : { role, status: 'completed', content }
}

function fileContent({ mediaType, filename, data }: Omit<LanguageModelV4FilePart, 'type'>): AgentsContent {
  const place = indexOf(mediaType, data)
  if (mediaType.startsWith('image'))
    return { type: 'input_image', image: typeof place === 'string' || 'id' in place ? place : place.url }
  return { type: 'input_file', file: place, ...(filename !== undefined && { filename }) }
}

function indexOf(
  mediaType: string,
  data: LanguageModelV4FilePart['data'],
): string | { id: string } | { url: string } {
  switch (data.type) {
    case 'reference':
      return { id: String(Object.values(data.reference)[0]) }
    case 'url':
      return { url: data.originalUrl ?? data.url.href }
    case 'text':
      return toDataUrl(mediaType, new TextEncoder().encode(data.text))
    case 'data':
      return toDataUrl(mediaType, data.data)
  }
}
