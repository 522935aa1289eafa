import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from '../output/step-output.ts'
import { callModel } from './call-model.ts'
import { prepareRequest } from './prepare-request.ts'
import { yieldOnce } from './yield-once.ts'

/** Calls the model, or relays the agent that has the turn, and passes the response through the hooks. */
export async function runModelCall(run: Run, step: Step, output: StepOutput): Promise<void> {
  if (run.state.handoff) {
    // Loaded on demand: few runs hand off.
    return (await import('../handoff/relay-handoff.ts')).relayHandoff(run, step, output)
  }
  const request = await prepareRequest(run, step)
  step.modelRequest = request
  run.structuredOutput = request.structuredOutput
  if (step.state.modelError) {
    // The run was suspended in `processModelError`: the hook is called again.
    throw new MillraceError(step.state.modelError.code, step.state.modelError.message)
  }
  await output.start(request.structuredOutput)
  const turn = yieldOnce()
  if (turn) {
    await turn
    run.throwIfOver()
  }
  await callModel(run, step, output, request)
}
