import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from '../output/step-output.ts'
import { callModel } from './call-model.ts'
import { prepareRequest } from './prepare-request.ts'

/** Prepares a step and has the model answer it. A resumed run that has the answer goes on behind it. */
export async function runModelCall(run: Run, step: Step, output: StepOutput): Promise<void> {
  if (run.isPast('processModelError')) return
  const request = await prepareRequest(run, step) //        processInputStep, then prepareStep
  step.modelRequest = request
  run.structuredOutput = request.structuredOutput
  if (run.resumption?.point.phase === 'processModelError' && step.modelError) {
    throw new MillraceError(step.modelError.code, step.modelError.message)
  }
  await output.start({ structured: request.structuredOutput !== undefined })
  await callModel(run, step, output, request) //            wrapModelCall; for every chunk: processOutputStream
}
