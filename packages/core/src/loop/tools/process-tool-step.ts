import { copyData } from '../../copy-data.ts'
import { modelLimits } from '../../model/model-limits.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** Calls `processToolStep` with all results of a step. Returns the answer if a processor ends the loop with one. */
export function processToolStep(run: Run, step: Step): Promise<{ text: string } | undefined> | undefined {
  const { pipeline, messageList, settings } = run
  if (step.state.answered === 0 || !pipeline.processToolStep) return undefined
  return hookKit().askEach(run, 'processToolStep', {
    step,
    args: () => ({
      toolResults: copyData(step.result.toolResults),
      messages: messageList.get(),
      usage: copyData(step.state.usage),
      ...modelLimits(step.modelRequest?.model ?? settings.model, settings),
    }),
    apply({ text = '' }, record) {
      record.recordAction('changed')
      return { text }
    },
  })
}
