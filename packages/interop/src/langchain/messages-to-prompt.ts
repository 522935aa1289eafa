import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import type { BaseMessage, ToolMessage } from '@langchain/core/messages'
import { MillraceError } from '@millrace/core'
import { type BlockPart, blocksOf, callsOf } from './content-blocks.ts'

type Content<ROLE> = Extract<LanguageModelV4Message, { role: ROLE }>['content']

/** The message that a part of a prompt was read from. */
export interface Origin {
  message: string
  /** Signed or encrypted data of a model. */
  sealed?: Record<string, string>
  /** The part is a block that prompts have no format for, as JSON, so that processors see it. */
  isBlock?: true
}

/** The key of a message in a prompt. */
export function keyOf({ id }: BaseMessage, index: number): string {
  return id ?? `#${index}`
}

/**
 * LangChain messages as a prompt. Each part refers to the message that it comes from.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` for a type of message that processors cannot read
 */
export function promptOf(messages: readonly BaseMessage[]): LanguageModelV4Prompt {
  const toolNames = new Map<string, string>()
  return messages.map((message, index) =>
    promptMessage(message, { message: keyOf(message, index) }, toolNames),
  )
}

function promptMessage(
  message: BaseMessage,
  origin: Origin,
  toolNames: Map<string, string>,
): LanguageModelV4Message {
  switch (message.type) {
    case 'system':
    case 'developer':
      return { role: 'system', content: message.text, ...optionsOf(origin) }
    case 'human':
    case 'generic': {
      const content = blocksOf(message).map((part) => contentPart(part, origin)) as Content<'user'>
      return { role: 'user', content: content.length > 0 ? content : [text('', origin)] }
    }
    case 'ai': {
      const calls = callsOf(message)
      for (const { toolCallId, toolName } of calls) toolNames.set(toolCallId, toolName)
      const content = [
        ...blocksOf(message).map((part) => contentPart(part, origin)),
        ...calls.map((call) => ({ type: 'tool-call' as const, ...call, ...optionsOf(origin) })),
      ] as Content<'assistant'>
      return { role: 'assistant', content: content.length > 0 ? content : [text('', origin)] }
    }
    case 'tool': {
      const { tool_call_id: toolCallId, name } = message as ToolMessage
      const toolName = name ?? toolNames.get(toolCallId) ?? 'tool'
      const output = outputOf(message as ToolMessage)
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output, ...optionsOf(origin) }],
      }
    }
    default:
      throw new MillraceError(
        'RUN_INPUT_INVALID',
        `The messages contain one of type '${message.type}', which processors cannot read. Remove it, or use a HumanMessage.`,
      )
  }
}

function contentPart(part: BlockPart, origin: Origin) {
  if (part.type === 'other') return text(JSON.stringify(part.block), { ...origin, isBlock: true })
  if (part.type === 'file') return { ...part, ...optionsOf(origin) }
  const { type, text: value, metadata } = part
  return { type, text: value, ...optionsOf({ ...origin, ...(metadata && { sealed: metadata }) }) }
}

function text(value: string, origin: Origin): { type: 'text'; text: string } {
  return { type: 'text', text: value, ...optionsOf(origin) }
}

function optionsOf({ ...origin }: Origin): { providerOptions: { langchain: { message: string } } } {
  return { providerOptions: { langchain: origin } }
}

function outputOf(message: ToolMessage): LanguageModelV4ToolResultOutput {
  const { content, status } = message
  if (status === 'error') return { type: 'error-text', value: message.text }
  if (typeof content === 'string') return { type: 'text', value: content }
  return {
    type: 'content',
    value: blocksOf(message).map((part) => {
      if (part.type === 'file') return part
      return { type: 'text', text: part.type === 'other' ? JSON.stringify(part.block) : part.text }
    }),
  }
}
