import { MillraceError } from '../errors.ts'
import { isToolPart, type ToolPart } from '../messages/message.ts'
import type { PromptMessages } from '../messages/model-message.ts'
import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'
import { isThenable } from '../schema.ts'
import { isSignal, Suspend } from '../signals.ts'
import { fixedApproval, type ResolvedApproval, resolveApproval } from './approval.ts'
import { cross } from './crossing.ts'
import { type Decision, denial, isRequested } from './decision.ts'
import { prepareCall } from './prepare-call.ts'
import { ownTool, type Tool, type ToolCall } from './tool.ts'

/** What a run that waits for approvals says it waits for. */
export interface ToolApprovalPayload {
  type: 'tool-approval'
  toolCalls: { toolCallId: string; toolName: string; input: unknown; reason?: string }[]
}

/**
 * Decides what is to become of every call of a step, in order, before any of them executes. A call that was decided
 * before the run was suspended stays so.
 */
export async function decideCalls(run: Run, step: Step, calls: readonly ToolCall[]): Promise<void> {
  for (let index = step.decisions.length; index < calls.length; index++) {
    const toolCall = calls[index] as ToolCall
    const preparing = prepareCall(run, step, toolCall)
    const prepared = isThenable(preparing) ? await preparing : preparing
    if ('error' in prepared) step.decisions.push(answer(prepared.error))
    else if (run.pipeline.processToolCall === null) {
      step.decisions.push(execution(prepared.tool, toolCall.input))
    } else step.decisions.push(await decide(run, step, { toolCall, tool: prepared.tool }))
  }
}

async function decide(
  run: Run,
  step: Step,
  { toolCall, tool }: { toolCall: ToolCall; tool: Tool },
): Promise<Decision> {
  const { processToolCall } = await import('../processors/process-tool-call.ts')
  const decided = await processToolCall(run, step, { toolCall, tool })
  if ('kind' in decided) return decided
  if (decided.input === toolCall.input) return execution(tool, toolCall.input)
  const again = await prepareCall(run, step, { ...toolCall, input: decided.input })
  return 'error' in again ? answer(again.error) : execution(tool, decided.input)
}

function execution(tool: Tool, input: unknown): Decision {
  return { kind: tool.execute ? 'execute' : 'client', input, approval: 'open' }
}

function answer(error: string): Decision {
  return { kind: 'answer', answer: { status: 'error', error } }
}

/** Suspends the run until all calls that need approval have an answer. A rejection is a denial the model sees. */
export async function awaitApprovals(
  run: Run,
  step: Step,
  { calls, messages }: { calls: readonly ToolCall[]; messages: () => PromptMessages },
): Promise<void> {
  run.takeResumeData('approval')
  const reasons = new Map<string, string>()
  for (const [index, call] of calls.entries()) {
    const decision = step.decisions[index]
    if (decision === undefined || decision.kind === 'answer' || decision.approval !== 'open') continue
    const status =
      fixedApproval(run.settings.toolApproval, ownTool(step.tools, call.toolName)) ??
      (await askPolicy(run, step, { call: { ...call, input: decision.input }, messages }))
    run.throwIfOver()
    if (status.type === 'denied') step.decisions[index] = denial(status.reason)
    else decision.approval = status.type === 'user-approval' ? 'requested' : 'granted'
    if (status.reason !== undefined) reasons.set(call.toolCallId, status.reason)
  }
  const waiting = calls.flatMap((call, index) => {
    const decision = step.decisions[index]
    if (!isRequested(decision)) return []
    const { toolCallId, toolName } = call
    const reason = reasons.get(toolCallId)
    return [{ toolCallId, toolName, input: decision.input, ...(reason !== undefined && { reason }) }]
  })
  if (waiting.length === 0) return
  for (const { toolCallId } of waiting) requestApproval(run, toolCallId)
  const signal = new Suspend({ type: 'tool-approval', toolCalls: waiting } satisfies ToolApprovalPayload)
  signal.toolCallId = waiting[0]?.toolCallId
  run.suspendedIn = 'approval'
  throw signal
}

/** A policy sees the input that the tool would get. What it says about it is kept, as what a tool says is. */
async function askPolicy(
  run: Run,
  step: Step,
  { call, messages }: { call: ToolCall; messages: () => PromptMessages },
): Promise<ResolvedApproval> {
  const { toolApproval } = run.settings
  const { requestContext } = run
  const { tools } = step
  const tool = ownTool(tools, call.toolName) as Tool
  const crossing = { toolCall: call, tool }
  const input = await cross(run, step, { ...crossing, direction: 'in', value: call.input })
  const asked = resolveApproval({ ...call, input }, { toolApproval, tools, messages, requestContext })
  const status = await asked.catch((error) => failApproval(call, error))
  if (status.reason === undefined) return status
  const reason = await cross(run, step, { ...crossing, direction: 'out', value: status.reason })
  return { ...status, reason: String(reason) }
}

/** Nobody has said that the call may be executed, so nothing is. */
function failApproval({ toolName }: ToolCall, cause: unknown): never {
  if (isSignal(cause)) throw cause
  throw new MillraceError(
    'TOOL_APPROVAL_FAILED',
    `Whether a call of '${toolName}' needs approval is not known: toolApproval, or the tool's needsApproval, threw. The call was not executed. The cause has its stack.`,
    { cause },
  )
}

/** Shows in the transcript that a call waits, under an id that leads back to the run. */
function requestApproval(run: Run, toolCallId: string): void {
  for (const { content } of run.messageList.get('response')) {
    const index = content.parts.findIndex((part) => isToolPart(part) && part.toolCallId === toolCallId)
    if (index === -1) continue
    const part = content.parts[index] as ToolPart
    const approval = { id: approvalId(run.id, toolCallId) }
    content.parts[index] = { ...part, state: 'approval-requested', approval } as ToolPart
  }
}

/** Names a call that waits for approval: the run that waits, and the call in it. */
export function approvalId(runId: string, toolCallId: string): string {
  return `${runId}:${toolCallId}`
}
