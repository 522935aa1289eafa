import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { fileBlock, proseBlock, signedFields } from './content-blocks.ts'
import { keyOf, type Origin, promptOf } from './messages-to-prompt.ts'

type Part = Exclude<LanguageModelV4Message, { role: 'system' }>['content'][number]

/** A message after the processors. */
export interface ResultingMessage {
  message: BaseMessage
  /** The original message, if it comes from one. */
  given: BaseMessage | undefined
}

/** Converts a prompt back to the messages it was read from. Edited and added messages become new ones. */
export class PromptReader {
  readonly #given = new Map<string, { message: BaseMessage; json: string }>()

  constructor(messages: readonly BaseMessage[]) {
    const prompt = promptOf(messages)
    for (const [index, message] of messages.entries()) {
      const json = JSON.stringify(partsOf(prompt[index] as LanguageModelV4Message))
      this.#given.set(keyOf(message, index), { message, json })
    }
  }

  read(prompt: LanguageModelV4Prompt): ResultingMessage[] {
    return prompt.flatMap((message) => {
      const runs: { key: string | undefined; parts: Part[] }[] = []
      for (const part of partsOf(message)) {
        const key = originOf(part)?.message
        const last = runs.at(-1)
        const isNext = message.role !== 'tool' && last?.key === key
        if (last && isNext) last.parts.push(part)
        else runs.push({ key, parts: [part] })
      }
      return runs.map(({ key, parts }) => this.#message(message.role, parts, key))
    })
  }

  #message(
    role: LanguageModelV4Message['role'],
    parts: readonly Part[],
    key: string | undefined,
  ): ResultingMessage {
    const given = key === undefined ? undefined : this.#given.get(key)
    if (given && given.json === JSON.stringify(parts)) return { message: given.message, given: given.message }
    return { message: made(role, parts, given?.message), given: given?.message }
  }
}

/** Restricts a message to what processors can see, and metadata without content. */
export function shownOf(message: BaseMessage): BaseMessage {
  if (message.type !== 'ai') return message
  const { content, tool_calls, invalid_tool_calls, id, name, response_metadata } = message as AIMessage
  return new AIMessage({
    content,
    tool_calls: tool_calls ?? [],
    invalid_tool_calls: invalid_tool_calls ?? [],
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    response_metadata,
    additional_kwargs: signedFields(message.additional_kwargs),
  } as never)
}

/** A system message has a single part. */
function partsOf(message: LanguageModelV4Message): Part[] {
  if (message.role !== 'system') return message.content
  const { content, providerOptions } = message
  return [{ type: 'text', text: content, ...(providerOptions && { providerOptions }) }]
}

function originOf(part: Part): Origin | undefined {
  return part.providerOptions?.langchain as Origin | undefined
}

function made(
  role: LanguageModelV4Message['role'],
  parts: readonly Part[],
  given: BaseMessage | undefined,
): BaseMessage {
  const known = {
    ...(given?.id !== undefined && { id: given.id }),
    ...(given?.name !== undefined && { name: given.name }),
  }
  const [first] = parts
  if (role === 'tool' && first?.type === 'tool-result') return toolMessage(first, known)
  const blocks = parts.map(blockOf).filter((block) => block !== undefined)
  const isText = blocks.every(({ type }) => type === 'text')
  const content = blocks.length === 1 && isText ? String(blocks[0]?.text) : blocks
  if (role === 'system') return new SystemMessage({ ...known, content: content as never })
  if (role === 'user') return new HumanMessage({ ...known, content: content as never })
  const calls = parts.filter((part) => part.type === 'tool-call')
  const tool_calls = calls.flatMap(({ toolCallId, toolName, input }) =>
    typeof input === 'object' && input !== null
      ? [
          {
            type: 'tool_call' as const,
            id: toolCallId,
            name: toolName,
            args: input as Record<string, unknown>,
          },
        ]
      : [],
  )
  const invalid_tool_calls = calls.flatMap(({ toolCallId, toolName, input }) =>
    typeof input === 'object' && input !== null
      ? []
      : [
          {
            type: 'invalid_tool_call' as const,
            id: toolCallId,
            name: toolName,
            args: String(input),
            error: '',
          },
        ],
  )
  return new AIMessage({
    ...known,
    content: (isText ? blocks.map(({ text }) => text).join('') : content) as never,
    tool_calls,
    invalid_tool_calls,
    ...(!isText && { response_metadata: { output_version: 'v1' } }),
  } as never)
}

function blockOf(part: Part): Record<string, unknown> | undefined {
  switch (part.type) {
    case 'text': {
      const block = originOf(part)?.isBlock ? parsed(part.text) : undefined
      return block ?? { type: 'text', text: part.text }
    }
    case 'reasoning':
      return proseBlock('reasoning', part.text, originOf(part)?.sealed)
    case 'file':
      return fileBlock(part)
    default:
      return undefined
  }
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function toolMessage(
  { toolCallId, toolName, output }: LanguageModelV4ToolResultPart,
  known: { id?: string; name?: string },
): ToolMessage {
  const isError =
    output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied'
  return new ToolMessage({
    name: toolName,
    ...known,
    tool_call_id: toolCallId,
    content: contentOf(output) as never,
    status: isError ? 'error' : 'success',
  })
}

function contentOf(output: LanguageModelV4ToolResultOutput): string | Record<string, unknown>[] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'execution-denied':
      return output.reason ?? 'The call was denied.'
    case 'content':
      return output.value.flatMap((part) => {
        if (part.type === 'text') return [{ type: 'text', text: part.text }]
        return part.type === 'file' ? [fileBlock(part)] : []
      })
    default:
      return output satisfies never
  }
}
