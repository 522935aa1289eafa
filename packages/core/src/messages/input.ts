import type { AgentInput, ParsedInput } from './agent-input.ts'
import { invalidInput } from './invalid-input.ts'
import type { Message } from './message.ts'

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
