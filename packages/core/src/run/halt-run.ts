import type { Halt } from '../signals.ts'
import { ownCalls } from '../tools/prepare-call.ts'
import { answerChunk } from '../tools/run-tools.ts'
import { proseChunks } from './held-chunks.ts'
import { ResponseWriter } from './response-writer.ts'
import { reviewResult } from './review-result.ts'
import type { Run } from './run.ts'
import { Step } from './step.ts'
import { StepOutput } from './step-output.ts'

/**
 * Ends a run with a processor's answer in place of the model's. What was under way is discarded; calls that stand in
 * the transcript already get a denial; the answer goes through `processOutputResult` once, and only then out.
 */
export async function haltRun(run: Run, halt: Halt): Promise<void> {
  await abandonStep(run, halt)
  const { reason, processorId, hook, metadata } = halt
  run.halt = { reason, processorId, hook, metadata }
  const step = new Step(run.steps.length)
  step.finishReason = 'stop'
  write(run, step, halt.response)
  await finishHalt(run, step)
}

/** Takes the answer through `processOutputResult` and out: where a halted run that was suspended there goes on. */
export async function finishHalt(run: Run, step: Step): Promise<void> {
  run.current = { step, output: new StepOutput(run, step) }
  await reviewResult(run, step, {
    onHalt: ({ response }) => {
      step.text = response
      write(run, step, response)
    },
  })
  run.answer = step.text
  if (step.text !== '')
    for (const chunk of proseChunks({ type: 'text', text: step.text }, 'answer')) await run.emit(chunk)
  if (run.halt) await run.emit({ type: 'halt', ...run.halt })
  await run.emit({ type: 'finish', status: 'halted', finishReason: 'stop', usage: run.usage })
}

async function abandonStep(run: Run, halt: Halt): Promise<void> {
  const { current } = run
  if (!current) return
  const { step, output } = current
  const calls = ownCalls(step)
  if (!step.reviewed || calls.length === 0) {
    await output.discard({ retry: false, reason: halt.reason, processorId: halt.processorId })
    return
  }
  await output.release()
  for (const call of calls.slice(step.answered)) {
    const reason = halt.reason ?? 'The run was halted before the call was executed.'
    await output.enqueue(answerChunk(call, { status: 'denied', reason }))
  }
  await output.finish()
  run.accept(step)
}

/** Makes `text` the answer: the last assistant message of the run. */
function write(run: Run, step: Step, text: string): void {
  const writer = new ResponseWriter(run, step)
  if (step.wrote) writer.discard()
  step.wrote = false
  step.text = text
  if (text === '') return
  const fresh = new ResponseWriter(run, step)
  for (const chunk of proseChunks({ type: 'text', text }, 'answer')) fresh.write(chunk)
}
