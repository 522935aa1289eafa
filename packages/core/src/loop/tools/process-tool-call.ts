import { copyData } from '../../copy-data.ts'
import { checkedOutput } from '../../processors/output-check.ts'
import type { ProcessToolCallResult } from '../../processors/tool-hooks.ts'
import { withToolCall } from '../../processors/with-tool-call.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Answer, Decision } from '../../tools/decision.ts'
import type { Tool, ToolCall } from '../../tools/tool.ts'
import { copyTool } from '../../tools/tool-copies.ts'
import type { Returned } from '../ask.ts'
import { hookKit } from '../hooks-on-demand.ts'

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
  const subject = { key: 'input', toolCallId }
  const look = new (hookKit().Look)(() => ({ data: input }))
  for (const processor of run.stages('processToolCall')) {
    let answer: Answer | undefined
    await withToolCall(toolCallId, () =>
      hookKit().ask(run, processor, {
        hook: 'processToolCall',
        step,
        args: { toolCall: { ...toolCall, input }, tool: copyTool(tool) },
        given: { values: [input] },
        look,
        subject,
        apply(result: Returned<ProcessToolCallResult>, record) {
          if ('deny' in result) {
            record.note('denied')
            run.changes?.note(record, { ...subject, action: 'denied', before: input, after: undefined })
            answer = { status: 'denied', reason: result.deny }
          } else if ('output' in result) {
            record.note('changed')
            const output = checkedOutput(result.output, 'processToolCall', processor.id)
            run.changes?.note(record, { key: 'result', toolCallId, before: undefined, after: output })
            answer = { status: 'success', output }
          } else {
            if (result.input !== input) input = copyData(result.input)
            step.inputs[toolCallId] = input
          }
        },
      }),
    )
    if (answer) return { kind: 'answer', answer }
  }
  return { input }
}
