import type { LoopEnd } from './loop/end/loop-end.ts'
import { isHandedOff } from './loop/handoff/is-handed-off.ts'
import { processInput } from './loop/input/process-input.ts'
import { prepareStep } from './loop/model/prepare-step.ts'
import { runModelCall } from './loop/model/run-model-call.ts'
import { reviewResult } from './loop/output/review-result.ts'
import { reviewStep } from './loop/output/review-step.ts'
import { StepOutput } from './loop/output/step-output.ts'
import { callTools } from './loop/tools/call-tools.ts'
import { processToolStep } from './loop/tools/process-tool-step.ts'
import { isMet } from './results/stop-condition.ts'
import { watch } from './run/deadline.ts'
import { allowsTools, ownCalls } from './run/own-calls.ts'
import type { Phase } from './run/resume-point.ts'
import type { Run } from './run/run.ts'
import { Step } from './run/step.ts'
import { isThenable } from './schema.ts'

/** A stage of a step. `last`: the last phase of the stage in which a run can be suspended. */
interface Stage {
  last: Phase | undefined
  work: (run: Run, step: Step, output: StepOutput) => unknown
}

/** The stages of a step, in order. */
// biome-ignore format: a table is read in columns
const STAGES: readonly Stage[] = [
  { last: 'processInputStep', work: prepareStep }, //      processInputStep, prepareStep: the request to the model
  { last: 'processModelError', work: runModelCall }, //    wrapModelCall, the model or the agent that has the turn; per chunk: processOutputStream
  { last: 'processOutputStep', work: reviewStep }, //      the whole response is known, no tool has run
  { last: undefined, work: release }, //                   emits the chunks that were held for the review
  { last: 'processToolResult', work: callTools }, //       processToolCall, approvals, processExecution, processToolResult
  { last: 'processToolStep', work: endStep }, //           all results are known; then stopWhen and maxSteps
]

/**
 * The course of a run, from input to answer. It is cut short by throwing: a processor's signal, an error, an abort
 * from outside. If a processor rejects a step with `retry`, the step is discarded and run again. A resumed run skips
 * the stages it has finished.
 */
export async function loop(run: Run, first: Step = new Step(0)): Promise<LoopEnd> {
  if (!run.hasFinished('processInput')) await processInput(run) // once, before the first step
  let step = first
  for (;;) {
    const output = new StepOutput(run, step)
    const deadline = watch(run, run.settings.stepTimeout, { what: 'A step', until: run.signal })
    run.current = { step, output }
    try {
      const reached = run.resumption ? undefined : run.journal?.reach(step, 'processInputStep')
      if (reached) await reached // stores a run that must survive its process
      for (const { last, work } of STAGES) {
        if (last !== undefined && run.hasFinished(last)) continue
        const working = work(run, step, output)
        if (isThenable(working)) await working
        if (last !== undefined) run.resumption = undefined
      }
      await output.finish()
      if (step.state.end === undefined) {
        run.accept(step)
        step = new Step(step.number + 1)
        continue
      }

      if (!run.resumption) await run.journal?.reach(step, 'processOutputResult')
      const { end: status, finishReason } = step.state
      await output.close({ type: 'finish', status, finishReason, usage: run.state.usage })
      await reviewResult(run, step) // processOutputResult: once, after the last step
      const object = status === 'completed' ? await readObject(run, step, output) : undefined
      run.accept(step)
      await run.journal?.end('done')
      await output.end()
      return { status, finishReason, object }
    } catch (error) {
      // Loaded on demand: most steps need one attempt.
      const { nextAttempt } = await import('./loop/model/next-attempt.ts')
      step = await nextAttempt(run, step, output, error) // another attempt at the step, or rethrows
      run.resumption = undefined
    } finally {
      deadline?.end()
    }
  }
}

function release(run: Run, step: Step, output: StepOutput): Promise<void> | undefined {
  const isLast = !hasFollowUp(step) && !isHandedOff(run, step)
  return !isLast || run.settings.emit === 'live' ? output.release() : undefined
}

/** Whether another step can follow: there are calls to answer, or a processor has added a message. */
function hasFollowUp(step: Step): boolean {
  return (
    step.state.follow.length > 0 || (ownCalls(step.state).length > 0 && allowsTools(step.state.finishReason))
  )
}

/** Decides whether the run ends with this step, and how. */
async function endStep(run: Run, step: Step, output: StepOutput): Promise<void> {
  const { stopWhen, maxSteps } = run.settings
  const answer = await processToolStep(run, step)
  if (answer) await output.answer(answer.text)
  const handsOff = !answer && isHandedOff(run, step)
  const isRelayed = run.state.handoff !== undefined
  const ended = run.state.handoff?.ended
  if (ended) run.state.handoff = undefined
  if (answer || !(handsOff || hasFollowUp(step))) {
    step.state.end = ended ?? 'completed'
    return
  }
  for (const message of step.state.follow) run.messageList.add(message, 'response')
  // Limits do not apply here: the agent that has the turn has its own.
  if (handsOff && isRelayed) return
  if (stopWhen.length > 0) {
    const steps = [...run.steps, step].map(({ result }) => result)
    if (await isMet(stopWhen, steps)) step.state.end = (await hasAnswer(run, step)) ? 'completed' : 'limit'
  }
  if (handsOff) (await import('./loop/handoff/begin-handoff.ts')).beginHandoff(run, step)
  else if (step.number + 1 >= maxSteps) step.state.end ??= 'limit'
}

/** Whether a step that is not followed up has the answer that the run was asked for. */
async function hasAnswer({ structuredOutput }: Run, { state: { text } }: Step): Promise<boolean> {
  if (!structuredOutput) return true
  const { parseJson } = await import('./loop/output/parse-json.ts')
  return (await parseJson(text, structuredOutput.schema)).success
}

/**
 * The structured answer of a run, or `undefined` if the run has no output schema. The parser is loaded on demand.
 *
 * @throws MillraceError `MODEL_OUTPUT_INVALID`, or `PROCESSOR_OUTPUT_INVALID` if it was valid before the processors
 */
async function readObject(run: Run, step: Step, { rawText }: StepOutput): Promise<unknown> {
  const { structuredOutput } = run
  if (!structuredOutput) return undefined
  const { parseAnswer } = await import('./loop/output/parse-object.ts')
  return parseAnswer(run, structuredOutput, { step, rawText })
}
