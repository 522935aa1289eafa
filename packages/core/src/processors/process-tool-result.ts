import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
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
  if (!processToolResult) return current
  for (const processor of preliminary ? processToolResult : run.stages('processToolResult')) {
    const ownGate = run.gate(processor)
    const gate = preliminary ? ownGate.beside() : ownGate
    const record = ownGate.record('processToolResult', step.number)
    const { messageList } = run
    const result = await withToolCall(toolCall.toolCallId, () =>
      gate.call(record, () =>
        processor.processToolResult({
          ...gate.args,
          toolCall,
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
    if (result === undefined || result === null) continue
    if (typeof result !== 'object') {
      throw invalidResult(processor.id, 'processToolResult', `a value of type ${typeof result}`)
    }
    record.note('changed')
    if ('output' in result) current = { status: 'success', output: result.output }
    else if ('error' in result && current.status === 'denied')
      current = { status: 'denied', reason: result.error }
    else if ('error' in result) current = { status: 'error', error: result.error }
    if (!preliminary) step.answers[toolCall.toolCallId] = current
  }
  return current
}
