import { checkedOutput } from '../../processors/output-check.ts'
import type { ProcessorWith } from '../../processors/pipeline.ts'
import type { ProcessToolResultResult } from '../../processors/tool-hooks.ts'
import { withToolCall } from '../../processors/with-tool-call.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ToolCall } from '../../tools/tool.ts'
import type { Returned } from '../ask.ts'
import { hookKit } from '../hooks-on-demand.ts'

/** Shows an answer to the processors, in order, and returns what they make of it. */
export async function processToolResult(
  run: Run,
  step: Step,
  { toolCall, answer, preliminary }: { toolCall: ToolCall; answer: Answer; preliminary: boolean },
): Promise<Answer> {
  let current = answer
  const { processToolResult } = run.pipeline
  const { toolCallId } = toolCall
  if (!processToolResult || (!preliminary && step.reviewedAnswers[toolCallId] === null)) return current
  let asked: string | undefined
  const look = new (hookKit().Look)(() => ({ data: current }))
  for (const processor of preliminary ? processToolResult : stagesOf(run, step, toolCallId)) {
    if (!preliminary) step.reviewedAnswers[toolCallId] = run.pipeline.names.get(processor) ?? null
    const { status } = current
    const output = current.status === 'success' ? current.output : undefined
    await withToolCall(toolCallId, () =>
      hookKit().ask(run, processor, {
        hook: 'processToolResult',
        step,
        overlaps: true,
        isApart: preliminary,
        args: { toolCall: { ...toolCall }, status, output, error: messageOf(current), preliminary },
        given: { values: [output] },
        look,
        subject: { key: 'result', toolCallId },
        apply(result: Returned<ProcessToolResultResult>) {
          if ('output' in result) {
            const output = checkedOutput(result.output, 'processToolResult', processor.id)
            current = { status: 'success', output }
          } else if (status === 'denied') current = { status, reason: result.error }
          else current = { status: 'error', error: result.error }
          if (!preliminary) step.answers[toolCallId] = current
        },
      }),
    )
    asked = processor.id
  }
  if (asked !== undefined && current.status === 'success') {
    // Once more, for hooks that changed it in place.
    current = { status: 'success', output: checkedOutput(current.output, 'processToolResult', asked) }
    if (!preliminary) step.answers[toolCallId] = current
  }
  if (!preliminary) step.reviewedAnswers[toolCallId] = null
  return current
}

/** What the model is to be told in place of an output. */
function messageOf(answer: Answer): string | undefined {
  if (answer.status === 'success') return undefined
  return answer.status === 'error' ? answer.error : answer.reason
}

/** All processors of the hook; for an answer with which one of them had waited, from that one on. */
function stagesOf(run: Run, step: Step, toolCallId: string): readonly ProcessorWith<'processToolResult'>[] {
  const processors = run.pipeline.processToolResult ?? []
  const waiting = step.reviewedAnswers[toolCallId]
  if (!waiting) return processors
  const first = processors.findIndex((processor) => run.pipeline.names.get(processor) === waiting)
  const stages = processors.slice(Math.max(first, 0))
  const isPlace = run.resumption?.place.toolCallId === toolCallId
  if (isPlace && stages[0]) run.gate(stages[0]).resumeData = run.takeResumeData('processToolResult')?.data
  return stages
}
