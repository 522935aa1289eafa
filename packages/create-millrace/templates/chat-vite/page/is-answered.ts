import type { WaitingCallsPayload } from '@millrace/core'
import { isToolUIPart } from 'ai'
import type { ChatMessage } from './api.ts'

const ANSWERED = ['approval-responded', 'output-available', 'output-error']

/** Whether all calls that the run waits for are answered, so that it can be resumed. */
export function isAnswered(messages: readonly ChatMessage[]): boolean {
  const parts = messages.at(-1)?.parts ?? []
  const suspended = parts.findLast((part) => part.type === 'data-suspended')?.data
  if (!suspended || suspended.resumed) return false
  const { toolCalls = [] } = suspended.payload as Partial<WaitingCallsPayload>
  const answered = parts.filter(isToolUIPart).filter(({ state }) => ANSWERED.includes(state))
  const isDone = (id: string) => answered.some(({ toolCallId }) => toolCallId === id)
  return toolCalls.length > 0 && toolCalls.every(({ toolCallId }) => isDone(toolCallId))
}
