import { withComputed } from '../../computed-property.ts'
import { copyData } from '../../copy-data.ts'
import type { OutputResult } from '../../processors/output-hooks.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import { isSame } from '../../processors/snapshot-of.ts'
import type { StepResult } from '../../results/result.ts'
import { hasCalledTools } from '../../run/has-called-tools.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { stepsFor } from '../../run/step-views.ts'
import { Halt, isSignal, Suspend } from '../../signals.ts'
import { askAll } from '../ask.ts'
import { unwritten } from '../end/unwritten.ts'
import { readSteps } from './read-steps.ts'

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

/**
 * Calls `processOutputResult` only of the processors that store answers. Of a resumed run: from the one that failed on.
 */
export function askKeepers(run: Run, last: Step): Promise<void> {
  const keepers = run.stages('processOutputResult').filter(({ keepsIncomplete }) => keepsIncomplete)
  return review(run, last, keepers)
}

async function review(run: Run, last: Step, processors: readonly Reviewer[]): Promise<void> {
  for (const processor of processors) await ask(run, last, processor)
}

async function ask(run: Run, last: Step, processor: Reviewer): Promise<void> {
  const steps = [...run.steps, last]
  const { messageList, settings } = run
  const keepsCalls = processor.keepsIncomplete === true && hasCalledTools(run, last)
  let isSkipped = false
  const asked = askAll(run, 'processOutputResult', [processor], {
    args: async () => ({
      messages: messageList.get('response'),
      result: await outputResult(run, last, () => stepsFor(run.gate(processor), steps)),
      model: settings.model,
      incomplete: run.state.incomplete,
    }),
    apply(result) {
      if (Array.isArray(result)) messageList.merge(result)
    },
    settle: ({ skipped }) => {
      isSkipped = skipped
      readSteps(run, steps)
    },
  })
  const failed = (error: unknown): unknown =>
    keepsCalls ? unwritten(run, processor, { error, stage: run.pipeline.names.get(processor) }) : error
  await asked.catch((error) => {
    // A processor may edit messages before it ends the run.
    if (isSignal(error)) readSteps(run, steps)
    throw failed(error)
  })
  if (isSkipped && keepsCalls) throw failed((run.warnings.at(-1) as { error?: unknown }).error)
}

async function outputResult(run: Run, last: Step, stepsSoFar: () => StepResult[]): Promise<OutputResult> {
  const { structuredOutput } = run
  const { usage } = run.state
  const { text, finishReason, end } = last.state
  const parsed =
    structuredOutput && (await (await import('./parse-json.ts')).parseJson(text, structuredOutput.schema))
  const object = parsed?.success ? parsed.value : undefined
  const isWhole = end === 'completed' && !run.state.incomplete
  const objectError = parsed?.success === false && isWhole ? parsed.error : undefined
  const result = { text, object, objectError, usage: copyData(usage), finishReason }
  return withComputed(result, 'steps', stepsSoFar)
}
