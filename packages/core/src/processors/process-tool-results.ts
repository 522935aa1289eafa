import { copyData } from '../copy-data.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'

/** Shows all results of a step to the processors. Returns the answer with which one of them ends the loop, if so. */
export function processToolResults(run: Run, step: Step): Promise<{ text: string } | undefined> | undefined {
  if (run.isPast('processToolResults') || step.answered === 0) return undefined
  return run.pipeline.processToolResults === null ? undefined : askProcessors(run, step)
}

async function askProcessors(run: Run, step: Step): Promise<{ text: string } | undefined> {
  for (const processor of run.stages('processToolResults')) {
    const gate = run.gate(processor)
    const record = gate.record('processToolResults', step.number)
    const { messageList, settings } = run
    const result = await gate.call(record, () =>
      processor.processToolResults({
        ...gate.argsFor(record),
        toolResults: copyData(step.result.toolResults),
        messages: messageList.get(),
        messageList,
        stepNumber: step.number,
        usage: copyData(step.usage),
        contextWindow: settings.contextWindow,
        maxOutputTokens: settings.modelSettings.maxOutputTokens,
      }),
    )
    run.throwIfOver()
    if (!result?.finish) continue
    record.note('changed')
    return { text: result.text ?? '' }
  }
  return undefined
}
