import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from './step-output.ts'

/**
 * The structured answer of a run, or `undefined` where none was asked for. What parses it is loaded when there is one.
 *
 * @throws MillraceError `MODEL_OUTPUT_INVALID`, or `PROCESSOR_OUTPUT_INVALID` if it was valid before the processors
 */
export async function readObject(run: Run, step: Step, output: StepOutput): Promise<unknown> {
  const { structuredOutput } = run
  if (!structuredOutput) return undefined
  const { said } = output
  const { parseAnswer } = await import('./parse-object.ts')
  return parseAnswer(run, structuredOutput, { step, said })
}
