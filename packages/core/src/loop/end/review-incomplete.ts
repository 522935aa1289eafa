import { copyData } from '../../copy-data.ts'
import { callOf, isToolPart, type MessagePart } from '../../messages/message.ts'
import type { Incomplete } from '../../results/outcome.ts'
import { hasCalledTools } from '../../run/has-called-tools.ts'
import type { Run } from '../../run/run.ts'
import { Step } from '../../run/step.ts'
import { isSignal, type Suspend } from '../../signals.ts'
import type { MessageOrigin } from '../../transcript/message-list.ts'
import { askKeepers } from '../output/review-answer.ts'
import { reviewResponse } from '../output/review-response.ts'
import { reviewResult } from '../output/review-result.ts'
import { StepOutput } from '../output/step-output.ts'
import { isFinishedCall, leaveCalls, writeOutcomes } from '../tools/known-outcomes.ts'
import { settleStep, withoutInvalidParts } from './settle-step.ts'
import { isUnwritten } from './unwritten.ts'

/** A review whose keeper has failed, and the signal to store it with. */
export interface UnwrittenReview {
  review: Run
  signal: Suspend
}

/**
 * Calls `processOutputResult` with what a run that was stopped or failed has emitted. Chunks that stream hooks held
 * back are not in it. If a processor ends the run, later ones, such as a memory, are not called; calls that were
 * executed are then stored without the rest of the answer. A run that another process has taken over is left to that
 * process.
 *
 * @param options.callsOnly Whether only the executed calls are stored, without a review of the answer. Always for a
 *   blocked run. Default: false.
 * @returns What could not be stored, if the run has called tools
 */
export async function reviewIncomplete(
  run: Run,
  incomplete: Incomplete,
  { callsOnly = false }: { callsOnly?: boolean } = {},
): Promise<UnwrittenReview | undefined> {
  if ((await run.journal?.isHeld()) === false) return undefined
  // For an aborted run this was done for its result.
  if (incomplete === 'failed') settleStep(run)
  if (callsOnly || incomplete === 'blocked') return storeCalls(run, incomplete)
  const calledTools = hasCalledTools(run)
  const review = forkOf(run, incomplete)
  const cut = await interruptedStep(run, review)
  const last = cut ?? review.steps.pop()
  if (!last || review.messageList.get('response').length === 0) return undefined
  try {
    if (cut && !cut.state.reviewed) await reviewInterruptedStep(review, cut)
    await reviewResult(review, last)
    return undefined
  } catch (error) {
    if (isUnwritten(error)) return unwrittenReview(review, last, error)
    if (isSignal(error)) review.stop(error)
    if (calledTools) return storeCalls(run, incomplete)
    if (isSignal(error)) return undefined
    throw error
  }
}

/** Stores the calls that a run has executed. They have passed the processors one by one. */
async function storeCalls(run: Run, incomplete: Incomplete): Promise<UnwrittenReview | undefined> {
  const review = forkOf(run, incomplete)
  const { current } = run
  const last = current ? new Step(copyData(current.step.state)) : (review.steps.pop() ?? new Step(0))
  if (current) leaveCalls(review, last, { live: current.step })
  for (const message of review.messageList.get('response')) {
    const calls = message.content.parts.filter((part) => part.type === 'step-start' || isFinishedCall(part))
    if (calls.some(isToolPart)) message.content.parts = calls
    else review.messageList.remove(message.id)
  }
  for (const { state } of [...review.steps, last]) Object.assign(state, { text: '', reasoningText: '' })
  try {
    await askKeepers(review, last)
    return undefined
  } catch (error) {
    if (isUnwritten(error)) return unwrittenReview(review, last, error)
    throw error
  }
}

function unwrittenReview(review: Run, last: Step, signal: Suspend): UnwrittenReview {
  review.current = { step: last, output: new StepOutput(review, last) }
  return { review, signal }
}

/** A run with the state and the messages of this one. */
function forkOf(run: Run, incomplete: Incomplete): Run {
  const review = run.fork()
  review.structuredOutput = run.structuredOutput
  Object.assign(review.state, copyData(run.state), { incomplete })
  copyMessages(run, review)
  for (const { state } of run.steps) review.steps.push(new Step(copyData(state)))
  return review
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
  writeOutcomes(review, step, { live: current.step })
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
