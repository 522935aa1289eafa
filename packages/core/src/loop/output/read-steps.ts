import {
  isToolPart,
  type MessagePart,
  reasoningOfParts,
  type ToolPart,
  textOfParts,
} from '../../messages/message.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { partsOfSteps } from '../../transcript/step-parts.ts'

/** Reads the steps back from the transcript, which processors may have edited. */
export function readSteps({ messageList }: Run, steps: readonly Step[]): void {
  const written = steps.filter(({ state }) => state.wrote)
  if (written.length === 0) return
  const { parts, aligned } = partsOfSteps(messageList.get('response'), written.length)
  for (const [index, step] of written.entries()) {
    const own = parts[index] ?? []
    step.state.text = textOfParts(own)
    step.state.reasoningText = reasoningOfParts(own)
    if (aligned || index === written.length - 1) readToolResults(step, own)
    step.changed()
  }
}

function readToolResults(step: Step, parts: readonly MessagePart[]): void {
  const byId = new Map(parts.filter(isToolPart).map((part) => [part.toolCallId, part]))
  step.state.toolResults = step.state.toolResults.map((result) => {
    const part: ToolPart | undefined = byId.get(result.toolCallId)
    if (result.status === 'success' && part?.state === 'output-available')
      return { ...result, output: part.output }
    if (result.status === 'error' && part?.state === 'output-error')
      return { ...result, error: part.errorText }
    return result
  })
}
