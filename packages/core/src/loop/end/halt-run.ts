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

/**
 * Ends a run with a processor's answer in place of the model's. What was under way is discarded; calls that stand in
 * the transcript already get a denial; the answer goes through `processOutputResult` once, and only then out.
 */
export async function haltRun(run: Run, halt: Halt): Promise<void> {
  await abandonStep(run, halt)
  const step = new Step(run.steps.length)
  step.state.finishReason = 'stop'
  answer(run, step, halt)
  await finishHalt(run, step, halt)
}

/**
 * Takes the answer through `processOutputResult` and emits it. A halted run that was suspended there resumes here: it may have
 * been changed before, so the processor that halted is asked as any other.
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
 * Every answer is reviewed by all processors; by the one that gave it while it reviewed another, only if others have changed
 * it since. Each may answer so once: processors that never agree end in an abort.
 */
async function reviewAnswer(run: Run, step: Step, first: Halt | undefined): Promise<void> {
  const authors = new Set([reviewerOf(run)])
  for (let halt = first; ; ) {
    run.current = { step, output: new StepOutput(run, step) }
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
    }
  }
}

/** The processor whose answer to another answer this is, if so. */
function reviewerOf({ state: { halt } }: Run): string | undefined {
  return halt?.hook === 'processOutputResult' ? halt.processorId : undefined
}

function disagreement({ processorId, hook }: Halt): TripWire {
  const tripwire = new TripWire('The processors do not agree on an answer.')
  return Object.assign(tripwire, { processorId, hook })
}

async function abandonStep(run: Run, halt: Halt): Promise<void> {
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
    // A stream hook rejects even that: then nothing of the step stays.
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
    const answer: Answer = { status: 'denied', reason }
    step.state.answers[call.toolCallId] = answer
    await output.enqueue(answerChunk(call, answer))
  }
  await output.finish()
  run.accept(step)
}

/** Makes the response of a halt the answer: the last assistant message of the run. */
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
