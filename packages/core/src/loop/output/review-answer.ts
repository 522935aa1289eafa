import { copyData } from '../../copy-data.ts'
import {
  isToolPart,
  type MessagePart,
  reasoningOfParts,
  type ToolPart,
  textOfParts,
} from '../../messages/message.ts'
import type { OutputResult } from '../../processors/output-hooks.ts'
import type { StepResult } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { stepsFor } from '../../run/step-views.ts'
import { partsOfSteps } from '../../transcript/step-parts.ts'
import { askAll } from '../ask.ts'

/** Shows the finished answer to the processors. Each sees what the ones before have left of it. */
export function reviewAnswer(run: Run, last: Step, except: string | undefined): Promise<undefined> {
  const steps = [...run.steps, last]
  const { messageList, settings } = run
  const processors = run.stages('processOutputResult').filter(({ id }) => id !== except)
  return askAll(run, 'processOutputResult', processors, {
    args: async (processor) => ({
      messages: messageList.get('response'),
      result: await outputResult(run, last, () => stepsFor(run.gate(processor), steps)),
      model: settings.model,
    }),
    apply(result) {
      if (Array.isArray(result)) messageList.merge(result)
    },
    settle: () => readSteps(run, steps),
  })
}

async function outputResult(run: Run, last: Step, stepsSoFar: () => StepResult[]): Promise<OutputResult> {
  const { structuredOutput } = run
  const { usage } = run.state
  const { text, finishReason, end } = last.state
  const parsed =
    structuredOutput && (await (await import('./parse-object.ts')).parseObject(structuredOutput, text))
  const object = parsed?.success ? parsed.value : undefined
  const objectError = parsed?.success === false && end === 'completed' ? parsed.error : undefined
  return {
    text,
    object,
    objectError,
    get steps() {
      return stepsSoFar()
    },
    usage: copyData(usage),
    finishReason,
  }
}

/** Brings the steps in line with the transcript, which processors may have changed. */
function readSteps(run: Run, steps: readonly Step[]): void {
  const written = steps.filter(({ state }) => state.wrote)
  if (written.length === 0) return
  const { parts, aligned } = partsOfSteps(run.messageList.get('response'), written.length)
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
