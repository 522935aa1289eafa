import { copyData } from '../copy-data.ts'
import { invalidInput } from './invalid-input.ts'
import {
  fromUIMessage,
  isRecord,
  type Message,
  type SystemMessage,
  systemMessageOf,
  type UIMessage,
} from './message.ts'
import type { ModelMessage } from './model-message.ts'

/** What a run takes as input: a user's text, or a conversation in one of three forms. */
export type AgentInput = string | readonly Message[] | readonly UIMessage[] | readonly ModelMessage[]

export interface ParsedInput {
  messages: Message[]
  /** System messages found in the input, in order. */
  systemMessages: SystemMessage[]
}

/**
 * Turns any {@link AgentInput} into messages. They are copied with all they hold, so that a run that edits them does not
 * edit what the caller holds.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if the input is something else; the message names the element.
 */
export async function parseInput(input: AgentInput): Promise<ParsedInput> {
  if (typeof input === 'string') return textInput(input)
  if (!Array.isArray(input)) throw invalidInput(`a value of type ${input === null ? 'null' : typeof input}`)

  const messages: Message[] = []
  const systemMessages: SystemMessage[] = []
  for (const [index, element] of (input as readonly unknown[]).entries()) {
    if (!isRecord(element)) throw invalidInput(`element ${index} of type ${typeof element}`)
    if (isMessage(element)) addMessage(element)
    else if (isUIMessage(element))
      addMessage(fromUIMessage({ ...element, id: element.id ?? crypto.randomUUID() }))
    else if (isModelMessage(element)) {
      // Loaded when needed: most input is a text or a chat client's.
      const { addModelMessage } = await import('./model-input.ts')
      addModelMessage(element, messages, systemMessages)
    } else throw invalidInput(`element ${index} with the keys ${Object.keys(element).join(', ')}`)
  }
  return copyData({ messages, systemMessages })

  function addMessage(message: Message): void {
    if (message.role === 'system') systemMessages.push(systemMessageOf(message))
    else messages.push(copyOf(message))
  }
}

/** A user's text as the input of a run. */
export function textInput(text: string): ParsedInput {
  return { messages: [userMessage(text)], systemMessages: [] }
}

/** Whether there are UI messages among the input: what a chat client holds, and may have forged. */
export function isFromClient(input: AgentInput): input is readonly UIMessage[] {
  return Array.isArray(input) && input.some((element: unknown) => isRecord(element) && isUIMessage(element))
}

function copyOf(message: Message): Message {
  const { content } = message
  return { ...message, content: { ...content, parts: content.parts.map((part) => ({ ...part })) } }
}

/** A user's message with one text part. */
export function userMessage(text: string): Message {
  return {
    id: crypto.randomUUID(),
    role: 'user',
    content: { parts: [{ type: 'text', text }] },
    createdAt: new Date(),
  }
}

function isMessage(value: Record<string, unknown>): value is Record<string, unknown> & Message {
  return (
    isRole(value.role) &&
    typeof value.id === 'string' &&
    isRecord(value.content) &&
    Array.isArray(value.content.parts)
  )
}

function isUIMessage(value: Record<string, unknown>): value is Record<string, unknown> & UIMessage {
  return isRole(value.role) && Array.isArray(value.parts)
}

function isModelMessage(value: Record<string, unknown>): value is Record<string, unknown> & ModelMessage {
  if (value.role === 'system') return typeof value.content === 'string'
  if (value.role === 'tool') return Array.isArray(value.content)
  return isRole(value.role) && (typeof value.content === 'string' || Array.isArray(value.content))
}

function isRole(value: unknown): value is Message['role'] {
  return value === 'system' || value === 'user' || value === 'assistant'
}
