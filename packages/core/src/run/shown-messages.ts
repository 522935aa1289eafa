import { isToolPart, type Message } from '../messages/message.ts'
import type { StepState } from './step-state.ts'

/**
 * The part of a run's response that was emitted: without the last step if none of it was, and without its calls that
 * are held.
 */
export function shownMessages(messages: readonly Message[], last: StepState | undefined): Message[] {
  const hidden = last?.wrote ? hiddenParts(last) : undefined
  const index = hidden ? messages.findLastIndex(({ role }) => role === 'assistant') : -1
  const message = messages[index]
  if (!hidden || !message) return [...messages]
  const { parts } = message.content
  const start = Math.max(
    parts.findLastIndex(({ type }) => type === 'step-start'),
    0,
  )
  const left =
    hidden === 'all'
      ? parts.slice(0, start)
      : parts.filter((part, place) => place < start || !isToolPart(part) || !hidden.has(part.toolCallId))
  if (left.length === parts.length) return [...messages]
  const shown = left.length > 0 ? [{ ...message, content: { ...message.content, parts: left } }] : []
  return messages.toSpliced(index, 1, ...shown)
}

/** What of the step was not emitted: everything, or the calls with these ids. `undefined` if all of it was. */
function hiddenParts({ emitted, held }: StepState): 'all' | ReadonlySet<string> | undefined {
  if (!emitted) return 'all'
  if (!held || held.length === 0) return undefined
  return new Set(held.flatMap((chunk) => (chunk.type === 'tool-call' ? [chunk.toolCallId] : [])))
}
