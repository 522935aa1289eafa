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
import { settleStep, withoutInvalidParts } from './settle-step.ts'

/**
 * Calls `processOutputResult` with what a run that was stopped or failed has emitted. Chunks that stream hooks held
 * back are not in it. If a processor ends the run, later ones, such as a memory, are not called. A run that another
 * process has taken over is left to that process.
 */
export async function reviewIncomplete(run: Run, incomplete: Incomplete): Promise<void> {
  if ((await run.journal?.isHeld()) === false) return
  // For an aborted run this was done for its result.
  if (incomplete === 'failed') settleStep(run)
  const review = run.fork()
  review.incomplete = incomplete
  review.structuredOutput = run.structuredOutput
  Object.assign(review.state, copyData(run.state))
  copyMessages(run, review)
  for (const { state } of run.steps) review.steps.push(new Step(copyData(state)))
  const cut = await interruptedStep(run, review)
  const last = cut ?? review.steps.pop()
  if (!last || review.messageList.get('response').length === 0) return
  try {
    if (cut && !cut.state.reviewed) await reviewInterruptedStep(review, cut)
    await reviewResult(review, last)
  } catch (error) {
    if (!isSignal(error)) throw error
    review.stop(error)
  }
}

/** Copies the messages, because the caller gets those of the run and may change them. */
function copyMessages({ messageList }: Run, review: Run): void {
  const own = (origin: MessageOrigin): boolean => origin === 'input' || origin === 'response'
  const copies = messageList.get().map((message) => {
    const origin = messageList.originOf(message.id) as MessageOrigin
    const whole = withoutInvalidParts(message)
    const copy = own(origin) ? copyData(whole) : whole
    review.messageList.add(copy, origin)
    return copy
  })
  review.messageList.set(copies)
}

/** The current step in the review's transcript, as far as it was emitted. `undefined` if none of it was. */
async function interruptedStep({ current }: Run, review: Run): Promise<Step | undefined> {
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

async function reviewInterruptedStep(review: Run, step: Step): Promise<void> {
  if (review.pipeline.processOutputStep === null || !review.current) return
  await reviewResponse(review, step, review.current.output as StepOutput)
}

/**
 * The parts of an interrupted step that can be in another prompt. An incomplete response keeps its text; its
 * reasoning has no signature, and the provider's ids for its parts are invalid. Calls that were being executed get an
 * error.
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

/** How long the result waits for this review, in milliseconds. */
const REVIEW_LIMIT = 1_000

/** Waits for the work, up to the limit. Longer work finishes in the background. Never rejects. */
export function waitUpToLimit(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REVIEW_LIMIT)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    work.then(done, done)
  })
}
