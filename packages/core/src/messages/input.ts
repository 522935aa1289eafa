import { invalidInput } from './invalid-input.ts'
import type { Message, SystemMessage, UIMessage } from './message.ts'
import type { ModelMessage } from './model-message.ts'

/** What a run takes as input: a user's text, or a conversation in one of three forms. */
export type AgentInput = string | readonly Message[] | readonly UIMessage[] | readonly ModelMessage[]

export interface ParsedInput {
  messages: Message[]
  /** System messages found in the input, in order. */
  systemMessages: SystemMessage[]
}

/**
 * Turns any {@link AgentInput} into messages, and takes it at its word: what may come from a client goes through
 * `readUntrusted` instead. Messages are copied with all they hold, so that a run that edits them does not edit what the
 * caller holds.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` if the input is something else; the message names the element.
 */
export async function parseInput(input: AgentInput): Promise<ParsedInput> {
  if (typeof input === 'string') return textInput(input)
  // Loaded when needed: most input is a text.
  const { parseList } = await import('./list-input.ts')
  return parseList(checkList(input))
}

/** @throws MillraceError `RUN_INPUT_INVALID` if the input is no list */
export function checkList(input: Exclude<AgentInput, string>): readonly unknown[] {
  if (Array.isArray(input)) return input
  throw invalidInput(`a value of type ${input === null ? 'null' : typeof input}`)
}

/** A user's text as the input of a run. */
export function textInput(text: string): ParsedInput {
  return { messages: [userMessage(text)], systemMessages: [] }
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
