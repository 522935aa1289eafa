import type { Message, SystemMessage, UIMessage } from './message.ts'
import type { ModelMessage } from './model-message.ts'

/** The input of a run: a user's text, or a conversation in one of three formats. */
export type AgentInput = string | readonly Message[] | readonly UIMessage[] | readonly ModelMessage[]

export interface ParsedInput {
  messages: Message[]
  /** The system messages of the input, in order. */
  systemMessages: SystemMessage[]
}
