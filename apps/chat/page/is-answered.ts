import { isToolUIPart } from 'ai'
import type { ChatMessage } from './chat-message.ts'

const ANSWERED = ['approval-responded', 'output-available', 'output-error']

/** The ids of the calls that a run waits for. */
function waitingCalls({ parts }: ChatMessage): string[] {
  const suspended = parts.filter((part) => part.type === 'data-suspended').at(-1)?.data
  if (!suspended || suspended.resumed) return []
  const { toolCalls = [] } = suspended.payload as { toolCalls?: { toolCallId: string }[] }
  return toolCalls.map(({ toolCallId }) => toolCallId)
}

/** Whether all calls that a run waits for are answered, so that it can be resumed. */
export function isAnswered(message: ChatMessage): boolean {
  const calls = waitingCalls(message)
  const answered = message.parts.filter(isToolUIPart).filter(({ state }) => ANSWERED.includes(state))
  return calls.length > 0 && calls.every((id) => answered.some(({ toolCallId }) => toolCallId === id))
}
