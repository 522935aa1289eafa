import { type Message, type MessagePart, textOfParts, userMessage } from '@millrace/core'

/** Who said what, for comparing. */
export function lines(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) => `${role}: ${textOfParts(content.parts)}`)
}

export function saidByUser(text: string, id?: string): Message {
  return { ...userMessage(text), ...(id !== undefined && { id }) }
}

export function saidByAssistant(text: string, id: string = crypto.randomUUID()): Message {
  return { ...userMessage(text), id, role: 'assistant' }
}

/** A call with its result, as a message's part. */
export function answeredCall(toolCallId: string, output: unknown): MessagePart {
  return { type: 'tool-weather', toolCallId, state: 'output-available', input: { city: 'Oslo' }, output }
}

/** A call nobody has answered. */
export function openCall(toolCallId: string): MessagePart {
  return { type: 'tool-weather', toolCallId, state: 'input-available', input: { city: 'Oslo' } }
}
