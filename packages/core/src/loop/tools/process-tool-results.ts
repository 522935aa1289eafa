import { copyData } from '../../copy-data.ts'
import type { ProcessToolResultsResult } from '../../processors/tool-hooks.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Returned } from '../ask.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** Shows all results of a step to the processors. Returns the answer with which one of them ends the loop, if so. */
export function processToolResults(run: Run, step: Step): Promise<{ text: string } | undefined> | undefined {
  if (run.isPast('processToolResults') || step.answered === 0) return undefined
  return run.pipeline.processToolResults === null ? undefined : askProcessors(run, step)
}

async function askProcessors(run: Run, step: Step): Promise<{ text: string } | undefined> {
  for (const processor of run.stages('processToolResults')) {
    const { messageList, settings } = run
    let answer: { text: string } | undefined
    await hookKit().ask(run, processor, {
      hook: 'processToolResults',
      step,
      args: {
        toolResults: copyData(step.result.toolResults),
        messages: messageList.get(),
        usage: copyData(step.usage),
        contextWindow: settings.contextWindow,
        maxOutputTokens: settings.modelSettings.maxOutputTokens,
      },
      apply: ({ text = '' }: Returned<ProcessToolResultsResult>, record) => {
        record.note('changed')
        answer = { text }
      },
    })
    if (answer) return answer
  }
  return undefined
}
