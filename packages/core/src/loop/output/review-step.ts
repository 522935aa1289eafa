import { copyData } from '../../copy-data.ts'
import { userMessage } from '../../messages/input.ts'
import { isToolPart, type MessagePart } from '../../messages/message.ts'
import { invalidResult } from '../../processors/invalid-result.ts'
import type { ProcessOutputStepResult } from '../../processors/output-hooks.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { ToolCall } from '../../tools/tool.ts'
import { MessageList } from '../../transcript/message-list.ts'
import type { Returned } from '../ask.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { StepOutput } from './step-output.ts'

/** Shows the whole response to every processor's `processOutputStep`, before any of its tools runs. */
export function reviewStep(run: Run, step: Step, output: StepOutput): Promise<void> | undefined {
  if (run.isPast('processOutputStep')) return undefined
  output.readBack()
  if (run.resumption === undefined) step.streamedText = step.text
  if (run.pipeline.processOutputStep !== null) return askProcessors(run, step, output)
  step.reviewed = true
  return undefined
}

async function askProcessors(run: Run, step: Step, output: StepOutput): Promise<void> {
  const look = new (hookKit().Look)(() => ({ data: [step.toolCalls, step.follow] }))
  for (const processor of run.stages('processOutputStep')) {
    const { messageList, systemMessages } = run
    const { text, finishReason, usage } = step
    await hookKit().ask(run, processor, {
      hook: 'processOutputStep',
      step,
      args: {
        messages: messageList.get(),
        systemMessages: copyData(systemMessages),
        finishReason,
        toolCalls: step.toolCalls.map((call) => ({ ...call })),
        text,
        usage: copyData(usage),
      },
      given: { values: step.toolCalls.map(({ input }) => input) },
      look,
      subject: { key: 'toolCalls' },
      apply: (result: StepReview) => apply(run, step, output, { result, processorId: processor.id }),
      settle: () => output.readBack(),
    })
  }
  step.reviewed = true
}

type StepReview = Returned<ProcessOutputStepResult>

function apply(
  run: Run,
  step: Step,
  output: StepOutput,
  { result, processorId }: { result: StepReview; processorId: string },
): void {
  if (result instanceof MessageList) return
  if (Array.isArray(result)) run.messageList.merge(result)
  else if ('toolCalls' in result) rewriteCalls(step, output, { calls: result.toolCalls, processorId })
  else step.follow.push(typeof result.continue === 'string' ? userMessage(result.continue) : result.continue)
}

/** Makes `calls` the step's calls: rewritten where they differ, gone where they are left out. */
function rewriteCalls(
  step: Step,
  output: StepOutput,
  { calls, processorId }: { calls: readonly ToolCall[]; processorId: string },
): void {
  const byId = new Map(calls.map((call) => [call.toolCallId, call]))
  for (const { toolCallId } of calls) {
    if (step.toolCalls.some((call) => call.toolCallId === toolCallId)) continue
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
  step.toolCalls = step.toolCalls.flatMap((call) => {
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
