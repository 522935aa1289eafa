import { copyData } from '../../copy-data.ts'
import {
  isToolPart,
  type Message,
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
import type { MessageList } from '../../transcript/message-list.ts'
import { hookKit } from '../hooks-on-demand.ts'

/**
 * Shows the finished answer to every processor's `processOutputResult`. What they leave in the transcript is what the
 * result, its steps and every accessor show.
 *
 * @param options.except The id of a processor that is not asked
 */
export function reviewResult(
  run: Run,
  last: Step,
  { except }: { except?: string | undefined } = {},
): Promise<void> | undefined {
  return run.pipeline.processOutputResult === null ? undefined : askProcessors(run, last, except)
}

async function askProcessors(run: Run, last: Step, except: string | undefined): Promise<void> {
  const steps = [...run.steps, last]
  for (const processor of run.stages('processOutputResult')) {
    if (processor.id === except) continue
    const { messageList } = run
    await hookKit().ask(run, processor, {
      hook: 'processOutputResult',
      args: {
        messages: messageList.get('response'),
        result: await outputResult(run, last, () => stepsFor(run.gate(processor), steps)),
        model: run.settings.model,
      },
      apply: (returned: Message[] | MessageList) => {
        if (Array.isArray(returned)) messageList.merge(returned)
      },
      settle: () => readSteps(run, steps),
    })
  }
}

async function outputResult(run: Run, last: Step, stepsSoFar: () => StepResult[]): Promise<OutputResult> {
  const { structuredOutput, usage } = run
  const { text, finishReason, end } = last
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
  const inTranscript = splitSteps(run.messageList.get('response'))
  // A processor that removed the marks between steps leaves nothing to tell them apart by: all goes to the last step.
  const aligned = inTranscript.length === steps.filter(({ wrote }) => wrote).length
  let index = 0
  for (const step of steps) {
    if (!step.wrote) continue
    const isLast = step === steps.at(-1)
    const parts = aligned ? (inTranscript[index++] ?? []) : isLast ? inTranscript.flat() : []
    step.text = textOfParts(parts)
    step.reasoningText = reasoningOfParts(parts)
    if (aligned || isLast) readToolResults(step, parts)
    step.changed()
  }
}

function splitSteps(messages: readonly Message[]): MessagePart[][] {
  const steps: MessagePart[][] = []
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue
    for (const part of content.parts) {
      if (part.type === 'step-start') steps.push([])
      else steps.at(-1)?.push(part)
    }
  }
  return steps
}

function readToolResults(step: Step, parts: readonly MessagePart[]): void {
  const byId = new Map(parts.filter(isToolPart).map((part) => [part.toolCallId, part]))
  step.toolResults = step.toolResults.map((result) => {
    const part: ToolPart | undefined = byId.get(result.toolCallId)
    if (result.status === 'success' && part?.state === 'output-available')
      return { ...result, output: part.output }
    if (result.status === 'error' && part?.state === 'output-error')
      return { ...result, error: part.errorText }
    return result
  })
}
