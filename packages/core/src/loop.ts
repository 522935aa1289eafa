import { processInput } from './processors/process-input.ts'
import { callModel } from './run/call-model.ts'
import { watch } from './run/deadline.ts'
import { discardAttempt } from './run/discard.ts'
import { readObject } from './run/parse-object.ts'
import { prepareRequest } from './run/prepare-request.ts'
import type { FinishReason } from './run/result.ts'
import { reviewResult } from './run/review-result.ts'
import { reviewStep } from './run/review-step.ts'
import type { Run } from './run/run.ts'
import { Step } from './run/step.ts'
import { StepOutput } from './run/step-output.ts'
import { allowsTools, ownCalls, runTools } from './tools/run-tools.ts'

/** How the loop came to its end, when nothing cut it short. */
export interface LoopEnd {
  status: 'completed' | 'limit'
  finishReason: FinishReason
  /** The structured answer, validated, where one was asked for. */
  object: unknown
}

/**
 * A run, from input to answer: what happens, in which order. What cuts it short is thrown: a processor's abort, a
 * fault, the end of the run from outside. A step that a processor rejects with `retry` is taken back and run again.
 */
export async function loop(run: Run): Promise<LoopEnd> {
  await processInput(run) //                                            once, before the loop

  let step = new Step(0, [])
  for (;;) {
    const output = new StepOutput(run, step)
    const deadline = watch(run, run.settings.stepTimeout, 'A step')
    run.current = { step, output }
    try {
      const request = await prepareRequest(run, step) //                processInputStep, then prepareStep
      await output.start(request)

      await callModel(run, step, request, output) //                    for every chunk: processOutputStream
      const follow = await reviewStep(run, step, output) //             processOutputStep: no tool has run yet
      const goesOn = follow.length > 0 || (ownCalls(step).length > 0 && allowsTools(step.finishReason))
      if (goesOn) await output.release()

      await runTools(run, step, { output, prompt: request.options.prompt })
      for (const message of follow) run.messageList.add(message, 'response')
      await output.finish()

      const status = goesOn ? await statusAfter(run, step) : 'completed'
      if (status === undefined) {
        run.accept(step)
        step = new Step(step.number + 1, [])
        continue
      }

      const { finishReason } = step
      await output.close({ type: 'finish', status, finishReason, usage: run.usage })
      await reviewResult(run, step) //                                  processOutputResult: once, after the last step
      const object = status === 'completed' ? await readObject(run, step) : undefined
      run.accept(step)
      await output.end()
      return { status, finishReason, object }
    } catch (error) {
      step = await discardAttempt(run, step, output, error) //          another attempt, or the error again
    } finally {
      deadline?.end()
    }
  }
}

/** How the run ends after a step that would go on, or `undefined` if it does go on. */
async function statusAfter(run: Run, step: Step): Promise<LoopEnd['status'] | undefined> {
  const { stopWhen, maxSteps } = run.settings
  const steps = [...run.steps, step].map(({ result }) => result)
  for (const condition of stopWhen) if (await condition({ steps })) return 'completed'
  return step.number + 1 >= maxSteps ? 'limit' : undefined
}
