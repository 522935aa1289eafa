import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningFilePart,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
} from '@ai-sdk/provider'
import { ownTool, type ToolModelOutput, type ToolSet } from '../tools/tool.ts'
import { fromDataUrl } from './data-url.ts'
import {
  type FilePart,
  isRecord,
  isToolPart,
  type Message,
  type MessagePart,
  type ProviderMetadata,
  type ReasoningFilePart,
  type SystemMessage,
  systemMessageOf,
  type ToolPart,
  toolNameOf,
} from './message.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']
type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content']

export interface PromptOptions {
  systemMessages?: readonly SystemMessage[]
  /** For the tools' own `toModelOutput`. */
  tools?: ToolSet
}

/**
 * Turns messages into model prompts, for one run. A message is converted once, step by step, and again only where it
 * was edited since: a long run does not convert its history again for every call.
 */
export class PromptWriter {
  readonly #converted = new WeakMap<Message, Block[]>()

  async write(
    messages: readonly Message[],
    { systemMessages = [], tools = {} }: PromptOptions,
  ): Promise<LanguageModelV4Prompt> {
    const prompt: LanguageModelV4Prompt = systemMessages.map((message) => ({ ...message }))
    for (const message of messages) if (message.role === 'system') prompt.push(systemMessageOf(message))
    for (const message of messages) {
      if (message.role === 'system') continue
      const blocks = this.#converted.get(message) ?? []
      let count = 0
      for (const range of stepsOf(message)) {
        const known = blocks[count]
        const block =
          known && isCurrent(known, message.content.parts, range)
            ? known
            : await convert(message, range, tools)
        blocks[count++] = block
        for (const converted of block.prompt) prompt.push(converted)
      }
      blocks.length = count
      this.#converted.set(message, blocks)
    }
    return prompt
  }
}

interface Range {
  start: number
  end: number
}

/** A step of a message as it was when it was converted, and what it was converted to. */
interface Block {
  parts: MessagePart[]
  /** Shallow copies of the parts: nested objects go into the prompt by reference, so edits inside them show anyway. */
  copies: MessagePart[]
  /** Outputs that went through a tool's `toModelOutput`, as JSON, by position: there, edits inside do not show. */
  outputs: ReadonlyMap<number, string>
  prompt: LanguageModelV4Message[]
}

/** The ranges between the `step-start` marks of an assistant's message; any other message is one range. */
function* stepsOf({ role, content: { parts } }: Message): Generator<Range> {
  if (role !== 'assistant') {
    yield { start: 0, end: parts.length }
    return
  }
  let start = 0
  for (let index = 0; index <= parts.length; index++) {
    if (index < parts.length && parts[index]?.type !== 'step-start') continue
    if (index > start) yield { start, end: index }
    start = index + 1
  }
}

function isCurrent(block: Block, parts: readonly MessagePart[], { start, end }: Range): boolean {
  if (block.parts.length !== end - start) return false
  for (let index = 0; index < block.parts.length; index++) {
    const part = parts[start + index]
    if (part === undefined || part !== block.parts[index]) return false
    if (!isUnedited(part, block.copies[index] as MessagePart)) return false
    const output = block.outputs.get(index)
    if (output !== undefined && output !== outputJson(part)) return false
  }
  return true
}

function isUnedited(part: MessagePart, copy: MessagePart): boolean {
  if (part.type !== copy.type) return false
  if (part.type === 'text' && copy.type === 'text') {
    return part.text === copy.text && part.providerMetadata === copy.providerMetadata
  }
  const now = part as unknown as Record<string, unknown>
  const then = copy as unknown as Record<string, unknown>
  for (const key in now) if (now[key] !== then[key]) return false
  for (const key in then) if (!(key in now)) return false
  return true
}

function outputJson(part: MessagePart): string {
  return JSON.stringify((part as { output?: unknown }).output) ?? ''
}

async function convert(message: Message, { start, end }: Range, tools: ToolSet): Promise<Block> {
  const parts = message.content.parts.slice(start, end)
  const outputs = new Map<number, string>()
  for (const [index, part] of parts.entries()) {
    if (isToolPart(part) && ownTool(tools, toolNameOf(part))?.toModelOutput)
      outputs.set(index, outputJson(part))
  }
  return {
    parts,
    copies: parts.map((part) => ({ ...part })),
    outputs,
    prompt: message.role === 'user' ? userPrompt(parts) : await assistantPrompt(parts, tools),
  }
}

function userPrompt(parts: readonly MessagePart[]): LanguageModelV4Message[] {
  const content: UserContent = []
  for (const part of parts) {
    if (part.type === 'text') content.push({ type: 'text', text: part.text, ...providerOptionsOf(part) })
    else if (part.type === 'file') content.push(filePart(part))
  }
  return content.length === 0 ? [] : [{ role: 'user', content }]
}

async function assistantPrompt(
  parts: readonly MessagePart[],
  tools: ToolSet,
): Promise<LanguageModelV4Message[]> {
  const content: AssistantContent = []
  const results: LanguageModelV4ToolResultPart[] = []
  for (const part of parts) {
    if (isToolPart(part)) {
      if (part.state === 'input-streaming') continue
      content.push({
        type: 'tool-call',
        toolCallId: part.toolCallId,
        toolName: toolNameOf(part),
        input: part.input,
        ...(part.providerExecuted && { providerExecuted: true }),
        ...(part.callProviderMetadata && { providerOptions: part.callProviderMetadata }),
      })
      const result = await toolResult(part, tools)
      if (!part.providerExecuted) results.push(result)
      else if (part.state === 'output-available' || part.state === 'output-error') content.push(result)
      continue
    }
    const converted = assistantPart(part)
    if (converted) content.push(converted)
  }
  const prompt: LanguageModelV4Message[] = []
  if (content.length > 0) prompt.push({ role: 'assistant', content })
  if (results.length > 0) prompt.push({ role: 'tool', content: results })
  return prompt
}

function assistantPart(part: Exclude<MessagePart, ToolPart>): AssistantContent[number] | undefined {
  switch (part.type) {
    case 'text':
      return part.text === '' ? undefined : { type: 'text', text: part.text, ...providerOptionsOf(part) }
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...providerOptionsOf(part) }
    case 'file':
      return filePart(part)
    case 'reasoning-file':
      return reasoningFilePart(part)
    case 'custom':
      return { type: 'custom', kind: part.kind, ...providerOptionsOf(part) }
    default:
      return thinkingPart(part)
  }
}

/** Some providers' clients call reasoning `thinking`. Any other unknown part stays out of the prompt. */
function thinkingPart(part: { type: string }): AssistantContent[number] | undefined {
  const { type, text, providerMetadata } = part as {
    type: string
    text?: string
    providerMetadata?: ProviderMetadata
  }
  if (type !== 'thinking' || typeof text !== 'string') return undefined
  return { type: 'reasoning', text, ...(providerMetadata && { providerOptions: providerMetadata }) }
}

function filePart(part: FilePart): LanguageModelV4FilePart {
  const { mediaType, filename, url, providerReference } = part
  const data: SharedV4FileData = providerReference
    ? { type: 'reference', reference: providerReference }
    : locate(url)
  return {
    type: 'file',
    mediaType,
    ...(filename !== undefined && { filename }),
    data,
    ...providerOptionsOf(part),
  }
}

function reasoningFilePart(part: ReasoningFilePart): LanguageModelV4ReasoningFilePart {
  return {
    type: 'reasoning-file',
    mediaType: part.mediaType,
    data: locate(part.url),
    ...providerOptionsOf(part),
  }
}

/** Hosted files go to the provider as they are: the agent fetches nothing. */
function locate(url: string): LanguageModelV4ReasoningFilePart['data'] {
  const inline = fromDataUrl(url)
  return inline ? { type: 'data', data: inline.base64 } : { type: 'url', url: new URL(url), originalUrl: url }
}

function providerOptionsOf(part: { providerMetadata?: ProviderMetadata }): {
  providerOptions?: ProviderMetadata
} {
  return part.providerMetadata ? { providerOptions: part.providerMetadata } : {}
}

/** The one result of a call. A call that was never answered says so: providers refuse a call without a result. */
async function toolResult(part: ToolPart, tools: ToolSet): Promise<LanguageModelV4ToolResultPart> {
  const toolName = toolNameOf(part)
  const base = { type: 'tool-result', toolCallId: part.toolCallId, toolName } as const
  const ofResult = 'resultProviderMetadata' in part ? part.resultProviderMetadata : undefined
  const metadata = ofResult ?? part.callProviderMetadata
  const providerOptions = metadata ? { providerOptions: metadata } : {}
  switch (part.state) {
    case 'output-available':
      return { ...base, output: await modelOutput(part, tools), ...providerOptions }
    case 'output-error':
      return { ...base, output: { type: 'error-text', value: part.errorText }, ...providerOptions }
    case 'output-denied': {
      const { reason } = part.approval
      return { ...base, output: { type: 'execution-denied', ...(reason !== undefined && { reason }) } }
    }
    default:
      return {
        ...base,
        output: { type: 'error-text', value: 'The call was not completed and has no result.' },
      }
  }
}

async function modelOutput(
  part: Extract<ToolPart, { state: 'output-available' }>,
  tools: ToolSet,
): Promise<ToolModelOutput> {
  const { toolCallId, input, output } = part
  const tool = ownTool(tools, toolNameOf(part))
  if (tool?.toModelOutput) return tool.toModelOutput({ toolCallId, input, output })
  if (typeof output === 'string') return { type: 'text', value: output }
  if (isContentOutput(output)) return output
  return { type: 'json', value: (output ?? null) as JSONValue }
}

/** Output that already has the form of a prompt's content: what model messages with `content` results came in as. */
function isContentOutput(output: unknown): output is Extract<ToolModelOutput, { type: 'content' }> {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) return false
  return output.value.every(
    (item) => isRecord(item) && (item.type === 'text' || item.type === 'file' || item.type === 'custom'),
  )
}
