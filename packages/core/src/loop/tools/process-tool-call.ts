import { copyData } from '../../copy-data.ts'
import { checkedOutput } from '../../processors/output-check.ts'
import { recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Answer, Decision } from '../../tools/decision.ts'
import type { Tool, ToolCall } from '../../tools/tool.ts'
import { copyTool } from '../../tools/tool-copies.ts'
import { hookKit } from '../hooks-on-demand.ts'

/**
 * Calls `processToolCall`. Returns the input that the processors leave, or the answer of the first processor that
 * answers in the tool's place; the remaining processors are not called.
 */
export async function processToolCall(
  run: Run,
  step: Step,
  { toolCall, tool }: { toolCall: ToolCall; tool: Tool },
): Promise<{ input: unknown } | Extract<Decision, { kind: 'answer' }>> {
  const { toolCallId } = toolCall
  const call = recordOf(step.state, toolCallId)
  let input = 'input' in call ? call.input : toolCall.input
  const subject = { key: 'input', toolCallId }
  const answer = await hookKit().askEach<'processToolCall', Answer>(run, 'processToolCall', {
    step,
    toolCallId,
    args: () => ({ toolCall: { ...toolCall, input }, tool: copyTool(tool) }),
    given: () => ({ values: [input] }),
    compared: () => ({ data: input }),
    subject,
    apply(result, record, { id }) {
      if ('deny' in result) {
        record.recordAction('denied')
        run.changes?.recordChange(record, { ...subject, action: 'denied', before: input, after: undefined })
        return { status: 'denied', reason: result.deny }
      }
      if ('output' in result) {
        record.recordAction('changed')
        const output = checkedOutput(result.output, 'processToolCall', id)
        run.changes?.recordChange(record, { key: 'result', toolCallId, before: undefined, after: output })
        return { status: 'success', output }
      }
      if ('needsApproval' in result) {
        record.recordAction('suspended')
        // The first one asks. If the call has an input of an approver, it is being asked already.
        call.approval ??= { status: 'needed', askedBy: id, ...result.needsApproval }
        return undefined
      }
      if (result.input !== input) input = copyData(result.input)
      call.input = input
      return undefined
    },
  })
  return answer ? { kind: 'answer', answer } : { input }
}
