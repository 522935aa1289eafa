import { copyData } from '../../copy-data.ts'
import { callOf, isToolPart, type MessagePart } from '../../messages/message.ts'
import type { Incomplete } from '../../results/outcome.ts'
import type { Run } from '../../run/run.ts'
import { Step } from '../../run/step.ts'
import { isSignal } from '../../signals.ts'
import type { MessageOrigin } from '../../transcript/message-list.ts'
import { reviewResponse } from '../output/review-response.ts'
import { reviewResult } from '../output/review-result.ts'
import { StepOutput } from '../output/step-output.ts'
import { mended, settleStep } from './settle-step.ts'

/**
 * Shows what went out of a run that was stopped or failed to its processors, as they see a whole answer. What stream hooks held
 * back is not in it. A processor that ends the run over it ends the review: those behind it, such as a memory, are not asked.
 * A run that another process has taken over is left to that one.
 */
export async function reviewIncomplete(run: Run, incomplete: Incomplete): Promise<void> {
  if ((await run.journal?.isHeld()) === false) return
  // An abort has settled it for its result.
  if (incomplete === 'failed') settleStep(run)
  const review = run.fork()
  review.incomplete = incomplete
  review.structuredOutput = run.structuredOutput
  Object.assign(review.state, copyData(run.state))
  copyMessages(run, review)
  for (const { state } of run.steps) review.steps.push(new Step(copyData(state)))
  const cut = await cutStep(run, review)
  const last = cut ?? review.steps.pop()
  if (!last || review.messageList.get('response').length === 0) return
  try {
    if (cut && !cut.state.reviewed) await reviewCutStep(review, cut)
    await reviewResult(review, last)
  } catch (error) {
    if (!isSignal(error)) throw error
    review.stop(error)
  }
}

/** The caller gets the messages of this run: what is kept is not changed through them. */
function copyMessages({ messageList }: Run, review: Run): void {
  const own = (origin: MessageOrigin): boolean => origin === 'input' || origin === 'response'
  const copies = messageList.get().map((message) => {
    const origin = messageList.originOf(message.id) as MessageOrigin
    const whole = mended(message)
    const copy = own(origin) ? copyData(whole) : whole
    review.messageList.add(copy, origin)
    return copy
  })
  review.messageList.set(copies)
}

/** The step that was under way, as far as it went out, in the transcript of the review. `undefined` if nothing of it did. */
async function cutStep({ current }: Run, review: Run): Promise<Step | undefined> {
  if (!current) return undefined
  const { output } = current
  const step = new Step(copyData(current.step.state))
  const own = new StepOutput(review, step)
  review.current = { step, output: own }
  const isWhole = output.hasResponse || step.state.reviewed
  const parts = settledParts([...own.parts, ...copyData(output.retracted)], step, { isWhole })
  if (parts.length === 0) {
    own.retract()
    review.current = undefined
    return undefined
  }
  own.replaceParts(parts)
  const left = new Set(parts.filter(isToolPart).map(({ toolCallId }) => toolCallId))
  step.state.toolCalls = step.state.toolCalls.filter(({ toolCallId }) => left.has(toolCallId))
  own.readBack()
  return step
}

async function reviewCutStep(review: Run, step: Step): Promise<void> {
  if (review.pipeline.processOutputStep === null || !review.current) return
  await reviewResponse(review, step, review.current.output as StepOutput)
}

/**
 * What another prompt can hold of a step that was cut short. A response that broke off keeps its text: its reasoning has no
 * signature, and the ids that the provider gave its parts name nothing. Calls that were being executed end in an error.
 */
function settledParts(
  parts: readonly MessagePart[],
  { state }: Step,
  { isWhole }: { isWhole: boolean },
): MessagePart[] {
  const left = isWhole ? parts : parts.filter(({ type }) => !type.startsWith('reasoning'))
  return left.flatMap((part): MessagePart[] => {
    if (!isToolPart(part)) return [isWhole ? part : withoutMetadata(part)]
    if (part.providerExecuted && !isWhole) return []
    const isAnswered = part.state.startsWith('output-') && !('preliminary' in part && part.preliminary)
    if (isAnswered) return [part]
    if (part.providerExecuted || !state.toolsRan) return []
    return [{ ...callOf(part), state: 'output-error', errorText: 'The run ended before this call did.' }]
  })
}

function withoutMetadata(part: MessagePart): MessagePart {
  if (!('providerMetadata' in part)) return part
  const { providerMetadata: _, ...rest } = part
  return rest as MessagePart
}

/** How long a result waits until what went out of a run that came to no end is kept, in milliseconds. */
const PATIENCE = 1_000

/** Waits for the work; what takes longer is finished in the background. Never rejects. */
export function soon(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    work.then(done, done)
  })
}
