import type { Message, MessagePart } from '../messages/message.ts'

/**
 * The parts of each of `count` steps. A processor that removed the marks between steps leaves nothing to divide them by:
 * all parts go to the last step then, and the steps are not `aligned` with the transcript.
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
