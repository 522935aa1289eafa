import type { AgentInput, ParsedInput } from './agent-input.ts'
import { invalidInput } from './invalid-input.ts'
import type { Message } from './message.ts'

/**
 * Converts any {@link AgentInput} to messages. The input is trusted: use `readUntrusted` for input that may come from
 * a client. Messages are deeply copied, so that a run does not change the caller's objects.
 *
 * @throws MillraceError `RUN_INPUT_INVALID` for any other input; the message names the element
 */
export async function parseInput(input: AgentInput): Promise<ParsedInput> {
  if (typeof input === 'string') return textInput(input)
  // Loaded on demand: most input is a string.
  const { parseList } = await import('./list-input.ts')
  return parseList(checkList(input))
}

/** @throws MillraceError `RUN_INPUT_INVALID` if the input is not a list */
export function checkList(input: Exclude<AgentInput, string>): readonly unknown[] {
  if (Array.isArray(input)) return input
  throw invalidInput(`a value of type ${input === null ? 'null' : typeof input}`)
}

/** A user's text as the input of a run. */
export function textInput(text: string): ParsedInput {
  return { messages: [userMessage(text)], systemMessages: [] }
}

/** A user message with one text part. */
export function userMessage(text: string): Message {
  return {
    id: crypto.randomUUID(),
    role: 'user',
    content: { parts: [{ type: 'text', text }] },
    createdAt: new Date(),
  }
}
