import { checkedOutput } from '../../processors/output-check.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import { recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** Calls `processToolResult` of each processor, in order. Returns the final answer. */
export async function processToolResult(
  run: Run,
  step: Step,
  { toolCall, answer, preliminary }: { toolCall: ToolCall; answer: Answer; preliminary: boolean },
): Promise<Answer> {
  let current = answer
  const { processToolResult } = run.pipeline
  const { toolCallId } = toolCall
  const record = recordOf(step.state, toolCallId)
  if (!processToolResult || (!preliminary && record.review === null)) return current
  const keep = (changed: Answer): void => {
    current = changed
    if (!preliminary) record.outcome = current
  }
  const processors = preliminary ? processToolResult : stagesOf(run, step, toolCallId)
  await hookKit().askAll(run, 'processToolResult', processors, {
    step,
    toolCallId,
    overlaps: true,
    isApart: preliminary,
    args(processor) {
      // Recorded first: if this processor suspends, it is called again.
      if (!preliminary) record.review = run.pipeline.names.get(processor) ?? null
      const { status } = current
      return {
        toolCall: { ...toolCall },
        status,
        output: outputOf(current),
        error: messageOf(current),
        preliminary,
      }
    },
    given: () => ({ values: [outputOf(current)] }),
    compared: () => ({ data: current }),
    subject: { key: 'result', toolCallId },
    apply(result, _, { id }) {
      if ('output' in result) {
        keep({ status: 'success', output: checkedOutput(result.output, 'processToolResult', id) })
      } else if (current.status === 'denied') keep({ status: 'denied', reason: result.error })
      else keep({ status: 'error', error: result.error })
      return undefined
    },
  })
  const last = processors.at(-1)
  if (last && current.status === 'success') {
    // Again, for hooks that changed the output in place.
    keep({ status: 'success', output: checkedOutput(current.output, 'processToolResult', last.id) })
  }
  if (!preliminary) record.review = null
  return current
}

function outputOf(answer: Answer): unknown {
  return answer.status === 'success' ? answer.output : undefined
}

/** The text that the model receives instead of an output. */
function messageOf(answer: Answer): string | undefined {
  if (answer.status === 'success') return undefined
  return answer.status === 'error' ? answer.error : answer.reason
}

/** All processors of the hook; if one of them suspended on this answer, those from that one on. */
function stagesOf(run: Run, step: Step, toolCallId: string): readonly ProcessorWith<'processToolResult'>[] {
  const processors = run.pipeline.processToolResult ?? []
  const waiting = recordOf(step.state, toolCallId).review
  if (!waiting) return processors
  const first = processors.findIndex((processor) => run.pipeline.names.get(processor) === waiting)
  const stages = processors.slice(Math.max(first, 0))
  if (run.resumption?.point.toolCallId === toolCallId) run.resumeIn('processToolResult')
  return stages
}
