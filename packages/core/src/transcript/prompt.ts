import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  isToolPart,
  type Message,
  type MessagePart,
  type SystemMessage,
  systemMessageOf,
  type TextPart,
  type ToolPart,
  toolNameOf,
} from '../messages/message.ts'
import { isThenable } from '../schema.ts'
import { ownTool, type Tool, type ToolSet } from '../tools/tool.ts'
import { userPrompt } from './user-prompt.ts'

export interface PromptOptions {
  systemMessages?: readonly SystemMessage[]
  /** For the tools' own `toModelOutput`. */
  tools?: ToolSet
}

/**
 * Converts the messages of one run to model prompts. A message is converted by step, and again only if it was edited:
 * a long run does not convert its whole history for every call.
 */
export class PromptWriter {
  readonly #converted = new WeakMap<Message, Block[]>()

  /** Sets the prompt form of a message, by step, until the message is edited. */
  adopt(message: Message, steps: readonly (readonly LanguageModelV4Message[])[]): void {
    const blocks: Block[] = []
    const { length } = message.content.parts
    for (let start = stepAfter(message, 0), index = 0; start < length && index < steps.length; index++) {
      const block = { ...blockAt(message, start, undefined), prompt: [...(steps[index] ?? [])] }
      blocks.push(block)
      start = stepAfter(message, start + block.parts.length)
    }
    this.#converted.set(message, blocks)
  }

  async write(
    messages: readonly Message[],
    { systemMessages = [], tools = {} }: PromptOptions,
  ): Promise<LanguageModelV4Prompt> {
    const views = withViews(tools)
    const prompt: LanguageModelV4Prompt = systemMessages.map((message) => ({ ...message }))
    for (const message of messages) if (message.role === 'system') prompt.push(systemMessageOf(message))
    for (const message of messages) {
      if (message.role === 'system') continue
      const blocks = this.#converted.get(message) ?? []
      const { parts } = message.content
      let count = 0
      for (let start = stepAfter(message, 0); start < parts.length; count++) {
        let block = blocks[count]
        if (!block || !isCurrent(block, message, start, views)) {
          const made = convert(message, start, { tools, views })
          block = isThenable(made) ? await made : made
          blocks[count] = block
        }
        // An index loop, because it runs for the whole history in every step, and an iterator is slower.
        for (let index = 0; index < block.prompt.length; index++) {
          prompt.push(block.prompt[index] as LanguageModelV4Message)
        }
        start = stepAfter(message, start + block.parts.length)
      }
      blocks.length = count
      this.#converted.set(message, blocks)
    }
    return prompt
  }
}

/** A step of a message at the time of its conversion, with the result. */
interface Block {
  role: Message['role']
  parts: MessagePart[]
  /** The kind of each part, computed once because comparing type strings is slower. */
  kinds: Kind[]
  /** Shallow copies of the parts. Nested objects are part of the prompt by reference, so edits to them appear in it. */
  copies: MessagePart[]
  /** Values that the prompt does not contain by reference, by position of their part. */
  hidden: ReadonlyMap<number, Hidden> | undefined
  prompt: LanguageModelV4Message[]
}

type Kind = 'text' | 'tool' | 'other'

/** The `toModelOutput` of a tool and its arguments as JSON. `json` is `undefined` if there is nothing to compare. */
interface Hidden {
  toModelOutput: Tool['toModelOutput']
  json: string | undefined
}

/** Index of the next step: after the `step-start` parts of an assistant message. Other messages have one step. */
function stepAfter({ role, content: { parts } }: Message, index: number): number {
  let start = index
  while (role === 'assistant' && parts[start]?.type === 'step-start') start++
  return start
}

function isCurrent(
  block: Block,
  { role, content: { parts } }: Message,
  start: number,
  views: ToolSet | undefined,
): boolean {
  const { kinds, copies, hidden } = block
  const { length } = block.parts
  const next = parts[start + length]
  if (block.role !== role || (next !== undefined && (role !== 'assistant' || next.type !== 'step-start')))
    return false
  // Whether neither the calls nor their tools have a `toModelOutput`.
  const hasNoViews = views === undefined && hidden === undefined
  for (let index = 0; index < length; index++) {
    const part = parts[start + index]
    if (part === undefined || part !== block.parts[index]) return false
    const kind = kinds[index] as Kind
    if (!isUnedited(part, copies[index] as MessagePart, kind)) return false
    if (hasNoViews || kind !== 'tool') continue
    if (!isSameView(part as ToolPart, hidden?.get(index), views)) return false
  }
  return true
}

function kindOf(part: MessagePart): Kind {
  if (part.type === 'text') return 'text'
  return isToolPart(part) ? 'tool' : 'other'
}

/**
 * Compares the fields that are part of a prompt. Runs for the whole history in every step, so the most frequent parts
 * come first.
 */
function isUnedited(part: MessagePart, copy: MessagePart, kind: Kind): boolean {
  if (part.type !== copy.type) return false
  if (kind === 'tool') return isUneditedCall(part as LooseToolPart, copy as LooseToolPart)
  if (kind === 'text') {
    const { text, providerMetadata } = copy as TextPart
    return (part as TextPart).text === text && (part as TextPart).providerMetadata === providerMetadata
  }
  const now = part as unknown as Record<string, unknown>
  const then = copy as unknown as Record<string, unknown>
  for (const key in now) if (now[key] !== then[key]) return false
  for (const key in then) if (!(key in now)) return false
  return true
}

/** A tool part with the fields of all states. */
type LooseToolPart = { toolName?: string; toolCallId: string; state: string } & {
  [KEY in
    | 'input'
    | 'output'
    | 'errorText'
    | 'approval'
    | 'providerExecuted'
    | 'callProviderMetadata'
    | 'resultProviderMetadata']?: unknown
}

function isUneditedCall(part: LooseToolPart, copy: LooseToolPart): boolean {
  return (
    part.state === copy.state &&
    part.input === copy.input &&
    part.output === copy.output &&
    part.errorText === copy.errorText &&
    part.toolCallId === copy.toolCallId &&
    part.toolName === copy.toolName &&
    part.approval === copy.approval &&
    part.providerExecuted === copy.providerExecuted &&
    part.callProviderMetadata === copy.callProviderMetadata &&
    part.resultProviderMetadata === copy.resultProviderMetadata
  )
}

function isSameView(part: ToolPart, hidden: Hidden | undefined, views: ToolSet | undefined): boolean {
  const now = hiddenIn(part, views)
  if (now === undefined || hidden === undefined) return now === hidden
  return now.toModelOutput === hidden.toModelOutput && now.json !== undefined && now.json === hidden.json
}

/** Values of a tool part that reach the prompt by copy: a tool's `toModelOutput`, or the reason of a denial. */
function hiddenIn(part: ToolPart, views: ToolSet | undefined): Hidden | undefined {
  if (part.state === 'output-denied') return { toModelOutput: undefined, json: part.approval?.reason ?? '' }
  if (views === undefined || part.state !== 'output-available') return undefined
  const toModelOutput = ownTool(views, toolNameOf(part))?.toModelOutput
  return toModelOutput && { toModelOutput, json: json([part.input, part.output]) }
}

/** The tools, if one of them has a `toModelOutput`. Otherwise the history need not be searched for their calls. */
function withViews(tools: ToolSet): ToolSet | undefined {
  for (const name in tools) if (tools[name]?.toModelOutput !== undefined) return tools
  return undefined
}

function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function convert(
  message: Message,
  start: number,
  { tools, views }: { tools: ToolSet; views: ToolSet | undefined },
): Block | Promise<Block> {
  const block = blockAt(message, start, views)
  const { role, parts } = block
  if (role === 'user') return { ...block, prompt: userPrompt(parts) }
  return (assistant ? assistant.assistantPrompt(parts, tools) : loadAssistant(parts, tools)).then(
    (prompt) => ({
      ...block,
      prompt,
    }),
  )
}

/** The current state of the step that begins at a part. */
function blockAt(message: Message, start: number, views: ToolSet | undefined): Omit<Block, 'prompt'> {
  const { role, content } = message
  let end = role === 'assistant' ? start : content.parts.length
  while (end < content.parts.length && content.parts[end]?.type !== 'step-start') end++
  const parts = content.parts.slice(start, end)
  let hidden: Map<number, Hidden> | undefined
  for (const [index, part] of parts.entries()) {
    const found = isToolPart(part) ? hiddenIn(part, views) : undefined
    if (!found) continue
    hidden ??= new Map()
    hidden.set(index, found)
  }
  const copies = parts.map((part) => ({ ...part }))
  return { role, parts, kinds: parts.map(kindOf), copies, hidden }
}

/** Loaded on demand and cached: the first call of many conversations has no assistant message. */
let assistant: typeof import('./assistant-prompt.ts') | undefined

async function loadAssistant(
  parts: readonly MessagePart[],
  tools: ToolSet,
): Promise<LanguageModelV4Message[]> {
  assistant = await import('./assistant-prompt.ts')
  return assistant.assistantPrompt(parts, tools)
}
