import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import { checkedOutput } from './output-check.ts'
import type { ProcessorWith } from './pipeline.ts'
import { invalidResult } from './result-check.ts'
import { withToolCall } from './with-tool-call.ts'

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
  for (const processor of preliminary ? processToolResult : stagesOf(run, step, toolCallId)) {
    const ownGate = run.gate(processor)
    const gate = preliminary ? ownGate.beside() : ownGate
    const record = ownGate.record('processToolResult', step.number)
    const { messageList } = run
    if (!preliminary) step.reviewedAnswers[toolCallId] = run.pipeline.names.get(processor) ?? null
    const result = await withToolCall(toolCallId, () =>
      gate.call(record, () =>
        processor.processToolResult({
          ...gate.argsFor(record),
          toolCall: { ...toolCall },
          status: current.status,
          output: current.status === 'success' ? current.output : undefined,
          error:
            current.status === 'success'
              ? undefined
              : current.status === 'error'
                ? current.error
                : current.reason,
          preliminary,
          messageList,
          stepNumber: step.number,
        }),
      ),
    )
    run.throwIfOver()
    asked = processor.id
    if (result === undefined || result === null) continue
    if (typeof result !== 'object') {
      throw invalidResult(processor.id, 'processToolResult', `a value of type ${typeof result}`)
    }
    record.note('changed')
    if ('output' in result) {
      const output = checkedOutput(result.output, 'processToolResult', processor.id)
      current = { status: 'success', output }
    } else if ('error' in result && current.status === 'denied')
      current = { status: 'denied', reason: result.error }
    else if ('error' in result) current = { status: 'error', error: result.error }
    if (!preliminary) step.answers[toolCallId] = current
  }
  if (asked !== undefined && current.status === 'success') {
    // Once more, for hooks that changed it in place.
    current = { status: 'success', output: checkedOutput(current.output, 'processToolResult', asked) }
    if (!preliminary) step.answers[toolCallId] = current
  }
  if (!preliminary) step.reviewedAnswers[toolCallId] = null
  return current
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
