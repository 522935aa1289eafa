import type { Message, SystemMessage, UIMessage } from './message.ts'
import type { ModelMessage } from './model-message.ts'

/** What a run takes as input: a user's text, or a conversation in one of three forms. */
export type AgentInput = string | readonly Message[] | readonly UIMessage[] | readonly ModelMessage[]

export interface ParsedInput {
  messages: Message[]
  /** System messages found in the input, in order. */
  systemMessages: SystemMessage[]
}
