import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { fromDataUrl } from '@millrace/core'
import type {
  AgentsContent,
  AgentsItem,
  CallItem,
  HostedCallItem,
  MessageItem,
  ReasoningItem,
  ResultItem,
} from './agents-types.ts'
import { contentsOf, isText, shown, textOf } from './item-content.ts'

type Content<ROLE extends string> = Extract<
  LanguageModelV4Message,
  { role: ROLE; content: unknown[] }
>['content']

/** Converts items to a prompt. Each part refers to its item, so that {@link itemsOfPrompt} can restore it. */
export function promptOfItems(
  items: readonly AgentsItem[],
  instructions: string | undefined,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = []
  if (instructions !== undefined) prompt.push({ role: 'system', content: instructions })
  for (const [index, item] of items.entries()) {
    const message = messageOf(item, index)
    const last = prompt.at(-1)
    // The items of one model response form one message, and so do all results of its calls.
    if (message.role !== 'user' && message.role !== 'system' && last?.role === message.role)
      for (const part of message.content) (last.content as unknown[]).push(part)
    else prompt.push(message)
  }
  return prompt
}

function messageOf(item: AgentsItem, index: number): LanguageModelV4Message {
  switch (item.type) {
    case 'function_call':
      return { role: 'assistant', content: [callPart(item, index)] }
    case 'function_call_result':
      return { role: 'tool', content: [resultPart(item, index)] }
    case 'hosted_tool_call':
      return { role: 'assistant', content: hostedParts(item, index) }
    case 'reasoning':
      return { role: 'assistant', content: reasoningParts(item, index) }
    default:
      return wordsOf(item, index)
  }
}

function wordsOf(item: MessageItem, index: number): LanguageModelV4Message {
  const parts = contentsOf(item).map((content, place) => {
    const providerOptions = optionsOf(item, content, { index, place })
    if (isText(content)) return { type: 'text' as const, text: textOf(content), ...providerOptions }
    return { ...filePart(content), ...providerOptions }
  })
  if (item.role === 'system') {
    const text = contentsOf(item).map(textOf).join('\n')
    return {
      role: 'system',
      content: text,
      providerOptions: shown({ at: [index], data: [item.providerData] }) as never,
    }
  }
  return { role: item.role, content: parts as Content<'user'> }
}

function reasoningParts(item: ReasoningItem, index: number): Content<'assistant'> {
  return contentsOf(item).map((content, place) => ({
    type: 'reasoning',
    text: textOf(content),
    ...optionsOf(item, content, { index, place }),
  }))
}

function optionsOf(
  item: MessageItem | ReasoningItem,
  { providerData }: AgentsContent,
  { index, place }: { index: number; place: number },
) {
  return {
    providerOptions: shown({
      at: [index, place],
      data: [place === 0 ? item.providerData : undefined, providerData],
    }) as never,
  }
}

function callPart(
  { callId, name, arguments: json, providerData }: CallItem,
  index: number,
): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: callId,
    toolName: name,
    input: parsed(json),
    providerOptions: shown({ at: [index], data: [providerData] }) as never,
  }
}

/**
 * Parses JSON; returns the text if it is invalid. Only the parsed value is passed on: of a duplicate key,
 * parsers keep the last value.
 */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function resultPart(item: ResultItem, index: number): LanguageModelV4ToolResultPart {
  const { callId, name, output, providerData } = item
  const ofOutput = typeof output === 'string' ? [] : [output].flat().map((content) => content.providerData)
  return {
    type: 'tool-result',
    toolCallId: callId,
    toolName: name,
    output: outputOf(item),
    providerOptions: shown({ at: [index], data: [providerData, ...ofOutput] }) as never,
  }
}

export function outputOf({ output }: ResultItem): LanguageModelV4ToolResultOutput {
  if (typeof output === 'string') return { type: 'text', value: output }
  if ('type' in output && isText(output)) return { type: 'text', value: textOf(output) }
  const contents = 'type' in output ? [output] : output
  return {
    type: 'content',
    value: contents.map((content) =>
      isText(content) ? { type: 'text', text: textOf(content) } : filePart(content),
    ),
  }
}

/** A call that the provider executed, with its result. */
function hostedParts(item: HostedCallItem, index: number): Content<'assistant'> {
  const { name, arguments: json, output } = item
  const identity = { toolCallId: hostedId(item, String(index)), toolName: name }
  const call = { type: 'tool-call' as const, ...identity, input: json === undefined ? {} : parsed(json) }
  if (isAnswered(item)) {
    const providerOptions = { millrace: { answered: true } }
    return [
      { ...call, providerExecuted: true, providerOptions },
      { type: 'tool-result', ...identity, output: { type: 'text', value: output ?? '' }, providerOptions },
    ]
  }
  const providerOptions = shown({ at: [index], data: [] }) as never
  return [
    { ...call, providerExecuted: true, providerOptions },
    {
      type: 'tool-result',
      ...identity,
      output: { type: 'json', value: hostedResult(item) as never },
      providerOptions,
    },
  ]
}

/** The result of a hosted tool. Most of it is in the provider data. */
export function hostedResult({ output, providerData }: HostedCallItem): Record<string, unknown> {
  return { ...(output !== undefined && { output }), ...(providerData && { data: providerData }) }
}

export function hostedId({ id }: HostedCallItem, otherwise: string): string {
  return id ?? `hosted-${otherwise}`
}

/** Whether a processor answered this function call in place of the function. */
function isAnswered({ providerData }: HostedCallItem): boolean {
  return (providerData as { millrace?: { answered?: unknown } } | undefined)?.millrace?.answered === true
}

/** A file. Processors cannot see a file that the provider stores under an id. */
function filePart(content: AgentsContent): Omit<LanguageModelV4FilePart, 'providerOptions'> {
  const isImage = content.type === 'input_image'
  const place =
    content.type === 'input_image' ? content.image : content.type === 'input_file' ? content.file : ''
  const mediaType = isImage ? 'image/*' : 'application/octet-stream'
  const filename =
    content.type === 'input_file' && content.filename !== undefined ? { filename: content.filename } : {}
  if (typeof place !== 'string' && 'id' in place)
    return {
      type: 'file',
      mediaType,
      ...filename,
      data: { type: 'reference', reference: { openai: place.id } },
    }
  const given = typeof place === 'string' ? place : place.url
  const inline = fromDataUrl(given)
  if (inline)
    return {
      type: 'file',
      mediaType: inline.mediaType,
      ...filename,
      data: { type: 'data', data: inline.base64 },
    }
  const url = URL.parse(given)
  if (url) return { type: 'file', mediaType, ...filename, data: { type: 'url', url, originalUrl: given } }
  return { type: 'file', mediaType, ...filename, data: { type: 'data', data: given } }
}
