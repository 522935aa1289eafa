import { MillraceError, readable } from '../../errors.ts'
import { isToolPart, type ToolPart } from '../../messages/message.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import type { RequestContext } from '../../request-context.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { readSignal, Suspend } from '../../signals.ts'
import { approvalId, type ToolApprovalConfiguration, type ToolApprovalStatus } from '../../tools/approval.ts'
import { denial, isRequested } from '../../tools/decision.ts'
import type { ToolApprovalPayload } from '../../tools/suspension-payload.ts'
import { ownTool, type Tool, type ToolCall, type ToolSet } from '../../tools/tool.ts'
import { copyTools } from '../../tools/tool-copies.ts'
import { cross } from './crossing.ts'

/**
 * Suspends the run until every call that needs approval has a response. A rejection becomes a denial, which the model
 * sees.
 */
export async function awaitApprovals(
  run: Run,
  step: Step,
  { calls, messages }: { calls: readonly ToolCall[]; messages: () => PromptMessages },
): Promise<void> {
  const reasons = new Map<string, string>()
  for (const [index, call] of calls.entries()) {
    const decision = step.state.decisions[index]
    if (decision === undefined || decision.kind === 'answer' || decision.approval !== 'open') continue
    const status = await askPolicy(run, step, { call: { ...call, input: decision.input }, messages })
    run.throwIfOver()
    if (status.type === 'denied') step.state.decisions[index] = denial(status.reason)
    else decision.approval = status.type === 'user-approval' ? 'requested' : 'granted'
    if (status.reason !== undefined) reasons.set(call.toolCallId, status.reason)
  }
  const waiting = calls.flatMap((call, index) => {
    const decision = step.state.decisions[index]
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

/**
 * Asks the approval policy. It receives the input that the tool would receive. Its reason passes the processors as a
 * tool's output does, because it is stored.
 */
async function askPolicy(
  run: Run,
  step: Step,
  { call, messages }: { call: ToolCall; messages: () => PromptMessages },
): Promise<ResolvedApproval> {
  const { toolApproval } = run.settings
  const { requestContext } = run
  const tools = copyTools(step.tools)
  const tool = ownTool(step.tools, call.toolName) as Tool
  const crossing = { toolCall: call, tool }
  const isAsked = toolApproval !== undefined || typeof tool.needsApproval === 'function'
  const input = isAsked
    ? await cross(run, step, { ...crossing, direction: 'in', value: call.input })
    : call.input
  const asked = resolveApproval({ ...call, input }, { toolApproval, tools, messages, requestContext })
  const status = await asked.catch((error) => failApproval(call, error))
  if (status.reason === undefined) return status
  const reason = await cross(run, step, { ...crossing, direction: 'out', value: status.reason })
  return { ...status, reason: String(reason) }
}

/** Fails closed: without a decision the call is not executed. */
function failApproval({ toolName }: ToolCall, cause: unknown): never {
  const signal = readSignal(cause)
  if (signal) throw signal
  throw new MillraceError(
    'TOOL_APPROVAL_FAILED',
    `Whether a call of '${toolName}' needs approval is not known: toolApproval, or the tool's needsApproval, threw. The call was not executed. The cause has its stack.`,
    { cause: readable(cause) },
  )
}

/** Marks the call in the transcript as waiting for approval, with an id from which the run can be found. */
function requestApproval(run: Run, toolCallId: string): void {
  for (const { content } of run.messageList.get('response')) {
    const index = content.parts.findIndex((part) => isToolPart(part) && part.toolCallId === toolCallId)
    if (index === -1) continue
    const part = content.parts[index] as ToolPart
    const approval = { id: approvalId(run.id, toolCallId) }
    content.parts[index] = { ...part, state: 'approval-requested', approval } as ToolPart
  }
}

type ResolvedApproval = Exclude<ToolApprovalStatus, string | undefined>

/** Asks the agent's policy about a call, or the tool's `needsApproval` if the agent has no policy for it. */
async function resolveApproval(
  toolCall: ToolCall,
  options: {
    toolApproval: ToolApprovalConfiguration | undefined
    tools: ToolSet
    messages: () => PromptMessages
    requestContext: RequestContext
  },
): Promise<ResolvedApproval> {
  const { toolApproval, tools, requestContext } = options
  const { toolCallId, toolName, input } = toolCall
  if (typeof toolApproval === 'function') {
    return normalize(await toolApproval({ toolCall, tools, messages: options.messages(), requestContext }))
  }
  const own = toolApproval && Object.hasOwn(toolApproval, toolName) ? toolApproval[toolName] : undefined
  if (own !== undefined) {
    return normalize(
      typeof own === 'function'
        ? await own(input, { toolCallId, messages: options.messages(), requestContext })
        : own,
    )
  }
  const needsApproval = ownTool(tools, toolName)?.needsApproval
  const needed =
    typeof needsApproval === 'function'
      ? await needsApproval(input, { toolCallId, messages: options.messages(), context: {} })
      : needsApproval
  return { type: needed ? 'user-approval' : 'not-applicable' }
}

function normalize(status: ToolApprovalStatus): ResolvedApproval {
  if (status === undefined) return { type: 'not-applicable' }
  return typeof status === 'string' ? { type: status } : status
}
