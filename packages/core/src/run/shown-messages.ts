import { isToolPart, type Message } from '../messages/message.ts'
import { withoutLastStep, withParts } from '../transcript/step-parts.ts'
import type { StepState } from './step-state.ts'

/**
 * The part of a run's response that was emitted: without the last step if none of it was, and without its calls that
 * are held.
 */
export function shownMessages(messages: readonly Message[], last: StepState | undefined): Message[] {
  if (!last?.wrote) return [...messages]
  if (!last.emitted) return withoutLastStep(messages)
  const held = new Set(last.held?.flatMap((chunk) => (chunk.type === 'tool-call' ? [chunk.toolCallId] : [])))
  if (held.size === 0) return [...messages]
  return messages.map((message) => {
    const { parts } = message.content
    const left = parts.filter((part) => !isToolPart(part) || !held.has(part.toolCallId))
    return left.length === parts.length ? message : withParts(message, left)
  })
}
