import { copyData } from '../../copy-data.ts'
import { userMessage } from '../../messages/input.ts'
import { isToolPart, type MessagePart } from '../../messages/message.ts'
import { invalidResult } from '../../processors/invalid-result.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { ToolCall } from '../../tools/tool.ts'
import { MessageList } from '../../transcript/message-list.ts'
import { askEach } from '../ask.ts'

/** The part of `StepOutput` that the review needs. */
interface ReviewedOutput {
  readonly parts: readonly MessagePart[]
  replaceParts(parts: readonly MessagePart[]): void
  /** Reads the step's text and calls back from the transcript. */
  readBack(): void
}

/** Calls `processOutputStep` of each processor, in order. Each receives the response as the previous ones left it. */
export async function reviewResponse(run: Run, step: Step, output: ReviewedOutput): Promise<void> {
  await askEach(run, 'processOutputStep', {
    step,
    args: () => ({
      messages: run.messageList.get(),
      systemMessages: copyData(run.state.systemMessages),
      finishReason: step.state.finishReason,
      toolCalls: step.state.toolCalls.map((call) => ({ ...call })),
      text: step.state.text,
      usage: copyData(step.state.usage),
      incomplete: run.state.incomplete,
    }),
    given: () => ({ values: step.state.toolCalls.map(({ input }) => input) }),
    compared: () => ({ data: [step.state.toolCalls, step.state.follow] }),
    subject: { key: 'toolCalls' },
    apply(result, _, { id: processorId }) {
      if (result instanceof MessageList) return
      if (Array.isArray(result)) run.messageList.merge(result)
      else if ('toolCalls' in result) rewriteCalls(step, output, { calls: result.toolCalls, processorId })
      else {
        const { continue: message } = result
        step.state.follow.push(typeof message === 'string' ? userMessage(message) : message)
      }
    },
    settle: () => output.readBack(),
  })
  step.state.reviewed = true
}

/** Replaces the step's calls by `calls`: changed calls are rewritten, missing calls are removed. */
function rewriteCalls(
  step: Step,
  output: ReviewedOutput,
  { calls, processorId }: { calls: readonly ToolCall[]; processorId: string },
): void {
  const byId = new Map(calls.map((call) => [call.toolCallId, call]))
  for (const { toolCallId } of calls) {
    if (step.state.toolCalls.some((call) => call.toolCallId === toolCallId)) continue
    throw invalidResult(
      processorId,
      'processOutputStep',
      `a tool call with the id '${toolCallId}', which the model did not make,`,
    )
  }
  const isKept = (part: MessagePart): boolean =>
    !isToolPart(part) || part.providerExecuted === true || byId.has(part.toolCallId)
  output.replaceParts(
    output.parts.filter(isKept).map((part) => (isToolPart(part) ? rewritten(part, byId) : part)),
  )
  step.state.toolCalls = step.state.toolCalls.flatMap((call) => {
    const kept = byId.get(call.toolCallId)
    if (!kept) return call.providerExecuted ? [call] : []
    const { inputError, ...rest } = { ...call, toolName: kept.toolName, input: kept.input }
    return [kept.input === call.input && inputError !== undefined ? { ...rest, inputError } : rest]
  })
}

function rewritten(part: MessagePart, calls: ReadonlyMap<string, ToolCall>): MessagePart {
  if (!isToolPart(part)) return part
  const call = calls.get(part.toolCallId)
  if (!call) return part
  const type = part.type === 'dynamic-tool' ? part.type : (`tool-${call.toolName}` as const)
  return {
    ...part,
    type,
    ...(type === 'dynamic-tool' && { toolName: call.toolName }),
    input: call.input,
  } as MessagePart
}
