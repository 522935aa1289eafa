import { copyData } from '../copy-data.ts'
import { userMessage } from '../messages/input.ts'
import { isToolPart, type Message, type MessagePart } from '../messages/message.ts'
import { MessageList } from '../messages/message-list.ts'
import type { ProcessOutputStepResult } from '../processors/output-hooks.ts'
import { invalidResult } from '../processors/result-check.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'
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
  for (const processor of run.stages('processOutputStep')) {
    const gate = run.gate(processor)
    const record = gate.record('processOutputStep', step.number)
    const { messageList, systemMessages } = run
    const { text, finishReason, usage } = step
    const result = await gate.call(record, () =>
      processor.processOutputStep({
        ...gate.argsFor(record),
        messages: messageList.get(),
        messageList,
        systemMessages: copyData(systemMessages),
        stepNumber: step.number,
        finishReason,
        toolCalls: step.toolCalls.map((call) => ({ ...call })),
        text,
        usage: copyData(usage),
      }),
    )
    run.throwIfOver()
    if (apply(run, step, output, { result, processorId: processor.id })) record.note('changed')
    output.readBack()
  }
  step.reviewed = true
}

function apply(
  run: Run,
  step: Step,
  output: StepOutput,
  { result, processorId }: { result: ProcessOutputStepResult; processorId: string },
): boolean {
  if (result === undefined || result === null) return false
  if (result === run.messageList) return true
  if (Array.isArray(result)) return mergeMessages(run, result)
  if (typeof result !== 'object' || result instanceof MessageList) {
    throw invalidResult(
      processorId,
      'processOutputStep',
      'another MessageList than the one it was given, or a plain value',
    )
  }
  if ('toolCalls' in result) {
    rewriteCalls(step, output, { calls: result.toolCalls, processorId })
    return true
  }
  if ('continue' in result) {
    step.follow.push(typeof result.continue === 'string' ? userMessage(result.continue) : result.continue)
    return true
  }
  return false
}

/** Puts messages in the place of those with their ids. Returns whether that changed anything. */
export function mergeMessages(run: Run, messages: readonly Message[]): boolean {
  const changed = messages.some((message) => run.messageList.find(message.id) !== message)
  run.messageList.merge(messages)
  return changed
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
