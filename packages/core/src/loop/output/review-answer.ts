import { withComputed } from '../../computed-property.ts'
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
 * Calls `processOutputResult` of each processor, in order. Each receives the answer as the previous ones left it. If
 * a processor halted in this hook, its own answer is passed to it again only if earlier processors have changed that
 * answer. If it then halts again, its hook is not called a third time: it halts whatever the answer is.
 *
 * @param halt The halt of a processor in this hook. Its text is the answer.
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
    // Its hook is called again in order, and suspends there.
    if (Suspend.isInstance(error)) return false
    throw error
  }
}

/**
 * Whether the processor itself halted. If a member of a composed processor halted, the composed one is not the
 * author.
 */
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
  // A processor may edit messages before it ends the run.
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
    structuredOutput && (await (await import('./parse-json.ts')).parseJson(text, structuredOutput.schema))
  const object = parsed?.success ? parsed.value : undefined
  const objectError = parsed?.success === false && end === 'completed' ? parsed.error : undefined
  const result = { text, object, objectError, usage: copyData(usage), finishReason }
  return withComputed(result, 'steps', stepsSoFar)
}

/** Reads the steps back from the transcript, which processors may have edited. */
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
