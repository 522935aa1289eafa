import { recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { OpenOutput } from '../../run/run-observer.ts'
import { Step } from '../../run/step.ts'
import { Halt, isSignal, TripWire } from '../../signals.ts'
import type { Answer } from '../../tools/decision.ts'
import { proseChunks } from '../output/held-chunks.ts'
import { ResponseWriter } from '../output/response-writer.ts'
import { reviewResult } from '../output/review-result.ts'
import { StepOutput } from '../output/step-output.ts'
import { answerChunk } from '../tools/answer-chunk.ts'
import { knownOutcome } from '../tools/known-outcomes.ts'

/**
 * Ends a run with a processor's answer in place of the model's. The current step is discarded, calls that are already
 * in the transcript are denied unless they were executed, and the answer is emitted after `processOutputResult`.
 */
export async function haltRun(run: Run, halt: Halt): Promise<void> {
  await discardStep(run, halt)
  const step = new Step(run.steps.length)
  step.state.finishReason = 'stop'
  answer(run, step, halt)
  await finishHalt(run, step, halt)
}

/**
 * Passes the answer through `processOutputResult` and emits it. A halted run that was suspended in that hook resumes
 * here. The answer may have been changed before, so the processor that halted is called like any other.
 */
export async function finishHalt(run: Run, step: Step, halt?: Halt): Promise<void> {
  await reviewAnswer(run, step, halt)
  await run.journal?.end('done')
  run.answer = step.state.text
  if (step.state.text !== '')
    for (const chunk of proseChunks({ type: 'text', text: step.state.text }, 'answer')) await run.emit(chunk)
  if (run.state.halt) await run.emit({ type: 'halt', ...run.state.halt })
  await run.emit({ type: 'finish', status: 'halted', finishReason: 'stop', usage: run.state.usage })
}

/**
 * All processors review every answer. A processor that halted while it reviewed another answer reviews its own only
 * if others have changed it. Each processor may halt once in a review: processors that never agree abort the run.
 */
async function reviewAnswer(run: Run, step: Step, first: Halt | undefined): Promise<void> {
  const authors = new Set([reviewerOf(run)])
  for (let halt = first; ; ) {
    const output = new StepOutput(run, step)
    run.current = { step, output }
    try {
      await reviewResult(run, step, { halt: halt?.hook === 'processOutputResult' ? halt : undefined })
      return
    } catch (error) {
      if (Halt.isInstance(error) && !authors.has(error.processorId)) {
        authors.add(error.processorId)
        answer(run, step, error)
        halt = error
        continue
      }
      if (!Halt.isInstance(error) && !TripWire.isInstance(error)) throw error
      new ResponseWriter(run, step).discard()
      throw Halt.isInstance(error) ? disagreement(error) : error
    } finally {
      await output.tell()
    }
  }
}

/** The id of the processor that halted in `processOutputResult`, if the halt came from there. */
function reviewerOf({ state: { halt } }: Run): string | undefined {
  return halt?.hook === 'processOutputResult' ? halt.processorId : undefined
}

function disagreement({ processorId, hook }: Halt): TripWire {
  const tripwire = new TripWire('The processors do not agree on an answer.')
  return Object.assign(tripwire, { processorId, hook })
}

async function discardStep(run: Run, halt: Halt): Promise<void> {
  const { current } = run
  if (!current) return
  const { step, output } = current
  const { reason, processorId } = halt
  if (!step.state.reviewed || ownCalls(step.state).length === 0) {
    await output.discard({ retry: false, reason, processorId })
    return
  }
  try {
    await denyCalls(run, halt, current)
  } catch (error) {
    if (!isSignal(error)) throw error
    // A stream hook has rejected the closing chunks too, so the whole step is discarded.
    await output.discard({ retry: false, reason, processorId })
    if (!Halt.isInstance(error)) throw error
  }
}

async function denyCalls(
  run: Run,
  halt: Halt,
  { step, output }: { step: Step; output: OpenOutput },
): Promise<void> {
  await output.release()
  for (const call of ownCalls(step.state).slice(step.state.answered)) {
    const reason = halt.reason ?? 'The run was halted before the call was executed.'
    const isOwn = call.toolCallId === halt.toolCallId && halt.processorId === undefined
    const known = isOwn ? undefined : knownOutcome(run, step, call)
    const answer: Answer = known ?? { status: 'denied', reason }
    recordOf(step.state, call.toolCallId).outcome = answer
    await output.enqueue(answerChunk(call, answer))
  }
  await output.finish()
  run.accept(step)
}

/** Sets the text of a halt as the answer: the last assistant message of the run. */
function answer(run: Run, step: Step, halt: Halt): void {
  const { response: text, reason, processorId, hook, metadata } = halt
  run.state.halt = { reason, processorId, hook, metadata }
  const writer = new ResponseWriter(run, step)
  if (step.state.wrote) writer.discard()
  step.state.wrote = false
  step.state.text = text
  if (text === '') return
  const fresh = new ResponseWriter(run, step)
  for (const chunk of proseChunks({ type: 'text', text }, 'answer')) fresh.write(chunk)
}
