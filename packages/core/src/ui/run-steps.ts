import type { Message, MessagePart } from '../messages/message.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'

/** The steps that have a place in the transcript. */
export function stepsOf({ steps, current }: Run): Step[] {
  const all = current && !steps.includes(current.step) ? [...steps, current.step] : steps
  return all.filter(({ state }) => state.wrote)
}

/** The parts of every step; all of them the last step's, where processors have removed the marks between steps. */
export function splitSteps(messages: readonly Message[], steps: readonly Step[]): MessagePart[][] {
  const split: MessagePart[][] = []
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue
    for (const part of content.parts) {
      if (part.type === 'step-start' || split.length === 0) split.push([])
      if (part.type !== 'step-start') split.at(-1)?.push(part)
    }
  }
  return split.length === steps.length ? split : [...steps.slice(1).map(() => []), split.flat()]
}
