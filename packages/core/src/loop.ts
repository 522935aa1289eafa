import { processInput } from './loop/input/process-input.ts'
import { runModelCall } from './loop/model/run-model-call.ts'
import { readObject } from './loop/output/read-object.ts'
import { reviewResult } from './loop/output/review-result.ts'
import { reviewStep } from './loop/output/review-step.ts'
import { StepOutput } from './loop/output/step-output.ts'
import { callTools } from './loop/tools/call-tools.ts'
import { processToolResults } from './loop/tools/process-tool-results.ts'
import type { FinishReason } from './results/outcome.ts'
import { isMet } from './results/stop-condition.ts'
import { watch } from './run/deadline.ts'
import { allowsTools, ownCalls } from './run/own-calls.ts'
import type { Run } from './run/run.ts'
import { Step } from './run/step.ts'

/** How the loop came to its end, when nothing cut it short. */
export interface LoopEnd {
  status: 'completed' | 'limit'
  finishReason: FinishReason
  /** The structured answer, validated, where one was asked for. */
  object: unknown
}

/**
 * A run, from input to answer: what happens, in which order. What cuts it short is thrown: a processor's signal, a
 * fault, the end of the run from outside. A step that a processor rejects with `retry` is taken back and run again. A
 * resumed run passes what it has behind it and goes on where it was suspended.
 */
export async function loop(run: Run, first: Step = new Step(0)): Promise<LoopEnd> {
  await processInput(run) //                            once, before the loop

  let step = first
  for (;;) {
    const output = new StepOutput(run, step)
    const deadline = watch(run, run.settings.stepTimeout, { what: 'A step', until: run.signal })
    run.current = { step, output }
    try {
      await runModelCall(run, step, output) //              processInputStep, wrapModelCall; per chunk: processOutputStream
      await reviewStep(run, step, output) //            processOutputStep: the whole response is known, no tool has run
      if (hasFollowUp(step) || run.settings.emit === 'live') await output.release()

      await callTools(run, step, output) //             processToolCall, execute, processToolResult
      step.end ??= await endAfter(run, step, output) // processToolResults, then stopWhen and maxSteps
      await output.finish()
      if (step.end === undefined) {
        run.accept(step)
        step = new Step(step.number + 1)
        continue
      }

      const { end: status, finishReason } = step
      await output.close({ type: 'finish', status, finishReason, usage: run.usage })
      await reviewResult(run, step) //                  processOutputResult: once, after the last step
      const object = status === 'completed' ? await readObject(run, step, output) : undefined
      run.accept(step)
      await output.end()
      return { status, finishReason, object }
    } catch (error) {
      // Loaded when needed: most steps take one attempt.
      const { nextAttempt } = await import('./loop/model/next-attempt.ts')
      step = await nextAttempt(run, step, output, error) // another attempt at the step, or the error again
    } finally {
      deadline?.end()
    }
  }
}

/** Whether there is anything to go on with after the step: calls to answer, or a processor's message. */
function hasFollowUp(step: Step): boolean {
  return step.follow.length > 0 || (ownCalls(step).length > 0 && allowsTools(step.finishReason))
}

/** How the run ends after the step, or `undefined` if it goes on. */
async function endAfter(run: Run, step: Step, output: StepOutput): Promise<LoopEnd['status'] | undefined> {
  const { stopWhen, maxSteps } = run.settings
  const answer = await processToolResults(run, step)
  if (answer) {
    await output.answer(answer.text)
    return 'completed'
  }
  if (!hasFollowUp(step)) return 'completed'
  for (const message of step.follow) run.messageList.add(message, 'response')
  if (stopWhen.length > 0) {
    const steps = [...run.steps, step].map(({ result }) => result)
    if (await isMet(stopWhen, steps)) return 'completed'
  }
  return step.number + 1 >= maxSteps ? 'limit' : undefined
}
