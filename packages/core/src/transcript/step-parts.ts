import type { Message, MessagePart } from '../messages/message.ts'

/**
 * The parts of each of `count` steps. If a processor has removed `step-start` parts, the parts cannot be divided:
 * then all of them belong to the last step, and `aligned` is false.
 */
export function partsOfSteps(
  messages: readonly Message[],
  count: number,
): { parts: MessagePart[][]; aligned: boolean } {
  const split: MessagePart[][] = []
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue
    for (const part of content.parts) {
      if (part.type === 'step-start' || split.length === 0) split.push([])
      if (part.type !== 'step-start') split.at(-1)?.push(part)
    }
  }
  if (split.length === count) return { parts: split, aligned: true }
  const empty = Array.from({ length: count - 1 }, (): MessagePart[] => [])
  return { parts: [...empty, split.flat()], aligned: false }
}

/** The parts of the last step of these answers. */
export function partsOfLastStep(answers: readonly Message[]): MessagePart[] {
  const parts = answers.at(-1)?.content.parts ?? []
  return parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
}

/** The messages without their last step. */
export function withoutLastStep(messages: readonly Message[]): Message[] {
  const index = messages.findLastIndex(({ role }) => role === 'assistant')
  const message = messages[index]
  if (!message) return [...messages]
  const { parts } = message.content
  const left = parts.slice(
    0,
    Math.max(
      parts.findLastIndex(({ type }) => type === 'step-start'),
      0,
    ),
  )
  return messages.toSpliced(index, 1, ...(left.length > 0 ? [withParts(message, left)] : []))
}

export function withParts(message: Message, parts: MessagePart[]): Message {
  return { ...message, content: { ...message.content, parts } }
}
