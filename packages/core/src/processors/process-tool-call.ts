import { copyData } from '../copy-data.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import type { Decision } from '../tools/decision.ts'
import type { Tool, ToolCall } from '../tools/tool.ts'
import { copyTool } from '../tools/tool-copies.ts'
import { checkedOutput } from './output-check.ts'
import { invalidResult } from './result-check.ts'
import { withToolCall } from './with-tool-call.ts'

/**
 * Asks the processors what is to become of a call. Returns the input they leave, or the answer that one of them gives
 * in the tool's place: then the others are not asked.
 */
export async function processToolCall(
  run: Run,
  step: Step,
  { toolCall, tool }: { toolCall: ToolCall; tool: Tool },
): Promise<{ input: unknown } | Extract<Decision, { kind: 'answer' }>> {
  const { toolCallId } = toolCall
  let input = toolCallId in step.inputs ? step.inputs[toolCallId] : toolCall.input
  for (const processor of run.stages('processToolCall')) {
    const gate = run.gate(processor)
    const record = gate.record('processToolCall', step.number)
    const { messageList } = run
    const result = await withToolCall(toolCallId, () =>
      gate.call(record, () =>
        processor.processToolCall({
          ...gate.argsFor(record),
          toolCall: { ...toolCall, input },
          tool: copyTool(tool),
          messageList,
          stepNumber: step.number,
        }),
      ),
    )
    run.throwIfOver()
    if (result === undefined || result === null) continue
    if (typeof result !== 'object')
      throw invalidResult(processor.id, 'processToolCall', `a value of type ${typeof result}`)
    if ('deny' in result) {
      record.note('denied')
      return { kind: 'answer', answer: { status: 'denied', reason: result.deny } }
    }
    record.note('changed')
    if ('output' in result) {
      const output = checkedOutput(result.output, 'processToolCall', processor.id)
      return { kind: 'answer', answer: { status: 'success', output } }
    }
    if ('input' in result) {
      if (result.input !== input) input = copyData(result.input)
      step.inputs[toolCallId] = input
    }
  }
  return { input }
}
