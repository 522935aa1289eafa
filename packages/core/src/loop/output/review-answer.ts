import { copyData } from '../../copy-data.ts'
import {
  isToolPart,
  type MessagePart,
  reasoningOfParts,
  type ToolPart,
  textOfParts,
} from '../../messages/message.ts'
import type { OutputResult } from '../../processors/output-hooks.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import { isSame } from '../../processors/snapshot-of.ts'
import type { StepResult } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { stepsFor } from '../../run/step-views.ts'
import { Halt, isSignal, Suspend } from '../../signals.ts'
import { partsOfSteps } from '../../transcript/step-parts.ts'
import { askAll } from '../ask.ts'

type Reviewer = ProcessorWith<'processOutputResult'>

/**
 * Shows the finished answer to the processors. Each sees what the ones before have left of it. The author of the answer is asked
 * only about what those before it have changed, and not even then if it halts over its own answer too: what it thinks of
 * answers does not depend on them.
 *
 * @param halt The answer is that of a processor, which gave it in this hook
 */
export async function reviewAnswer(run: Run, last: Step, halt: Halt | undefined): Promise<void> {
  const processors = run.stages('processOutputResult')
  const place = halt ? processors.findIndex((processor) => isAuthor(run, processor, halt)) : -1
  const author = processors[place]
  if (!author) return review(run, last, processors)
  const before = processors.slice(0, place)
  if (before.length > 0 && !(await haltsOverItsOwn(run, last, author))) {
    const own = copyData(run.messageList.get())
    await review(run, last, before)
    if (!isSame(run.messageList.get(), own)) await review(run, last, [author])
  } else await review(run, last, before)
  return review(run, last, processors.slice(place + 1))
}

async function haltsOverItsOwn(run: Run, last: Step, author: Reviewer): Promise<boolean> {
  try {
    await review(run, last, [author])
    return false
  } catch (error) {
    if (Halt.isInstance(error)) return true
    // It is asked again in its turn, and waits there.
    if (Suspend.isInstance(error)) return false
    throw error
  }
}

/** A processor made of others is not the author of what one of them answers. */
function isAuthor({ pipeline }: Run, processor: Reviewer, { stage, processorId }: Halt): boolean {
  return pipeline.names.get(processor) === stage && processor.id === processorId
}

async function review(run: Run, last: Step, processors: readonly Reviewer[]): Promise<void> {
  const steps = [...run.steps, last]
  const { messageList, settings } = run
  const asked = askAll(run, 'processOutputResult', processors, {
    args: async (processor) => ({
      messages: messageList.get('response'),
      result: await outputResult(run, last, () => stepsFor(run.gate(processor), steps)),
      model: settings.model,
      incomplete: run.incomplete,
    }),
    apply(result) {
      if (Array.isArray(result)) messageList.merge(result)
    },
    settle: () => readSteps(run, steps),
  })
  // One that ends the run may change before what stays of it.
  await asked.catch((error) => {
    if (isSignal(error)) readSteps(run, steps)
    throw error
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
