import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { ownTool, type Tool, type ToolSet } from '../tools/tool.ts'
import {
  isToolPart,
  type Message,
  type MessagePart,
  type SystemMessage,
  systemMessageOf,
  type ToolPart,
  toolNameOf,
} from './message.ts'
import { assistantPrompt, userPrompt } from './prompt-parts.ts'

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
          known && isCurrent(known, message, range, tools) ? known : await convert(message, range, tools)
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
  role: Message['role']
  parts: MessagePart[]
  /** Shallow copies of the parts: nested objects go into the prompt by reference, so edits inside them show anyway. */
  copies: MessagePart[]
  /** What does not show in the prompt by reference, by position of its part. */
  hidden: ReadonlyMap<number, Hidden>
  prompt: LanguageModelV4Message[]
}

/** A tool's own view of a call, and what it was made from. `json` is `undefined` where there is none to compare. */
interface Hidden {
  toModelOutput: Tool['toModelOutput']
  json: string | undefined
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

function isCurrent(
  block: Block,
  { role, content: { parts } }: Message,
  { start, end }: Range,
  tools: ToolSet,
): boolean {
  if (block.role !== role || block.parts.length !== end - start) return false
  for (let index = 0; index < block.parts.length; index++) {
    const part = parts[start + index]
    if (part === undefined || part !== block.parts[index]) return false
    if (!isUnedited(part, block.copies[index] as MessagePart)) return false
    if (part.type !== 'text' && isToolPart(part) && !isSameView(part, block.hidden.get(index), tools))
      return false
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

function isSameView(part: ToolPart, hidden: Hidden | undefined, tools: ToolSet): boolean {
  const now = hiddenIn(part, tools)
  if (now === undefined || hidden === undefined) return now === hidden
  return now.toModelOutput === hidden.toModelOutput && now.json !== undefined && now.json === hidden.json
}

/** What of a tool part reaches the prompt other than by reference: a tool's own view, or the reason of a denial. */
function hiddenIn(part: ToolPart, tools: ToolSet): Hidden | undefined {
  if (part.state === 'output-denied') return { toModelOutput: undefined, json: part.approval.reason ?? '' }
  if (part.state !== 'output-available') return undefined
  const toModelOutput = ownTool(tools, toolNameOf(part))?.toModelOutput
  return toModelOutput && { toModelOutput, json: json([part.input, part.output]) }
}

function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

async function convert(message: Message, { start, end }: Range, tools: ToolSet): Promise<Block> {
  const { role, content } = message
  const parts = content.parts.slice(start, end)
  const hidden = new Map<number, Hidden>()
  for (const [index, part] of parts.entries()) {
    const found = isToolPart(part) ? hiddenIn(part, tools) : undefined
    if (found) hidden.set(index, found)
  }
  const copies = parts.map((part) => ({ ...part }))
  const prompt = role === 'user' ? userPrompt(parts) : await assistantPrompt(parts, tools)
  return { role, parts, copies, hidden, prompt }
}
