import { copyData } from '../../copy-data.ts'
import { MillraceError, readable } from '../../errors.ts'
import { isToolPart, type ToolPart } from '../../messages/message.ts'
import type { PromptMessages } from '../../messages/model-message.ts'
import { isSame } from '../../processors/snapshot-of.ts'
import type { RequestContext } from '../../request-context.ts'
import { type Approval, type CallRecord, recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { readSignal } from '../../signals.ts'
import { approvalId, type ToolApprovalConfiguration, type ToolApprovalStatus } from '../../tools/approval.ts'
import { denial } from '../../tools/decision.ts'
import { ownTool, type Tool, type ToolCall, type ToolSet } from '../../tools/tool.ts'
import { copyTools } from '../../tools/tool-copies.ts'
import { callsInWait, suspensionOf } from './calls-in-wait.ts'
import { cross } from './crossing.ts'
import { decideCall } from './decide-calls.ts'

/**
 * Suspends the run until every call that needs approval is decided. A rejection becomes a denial, which the model sees.
 * An input of the approver is decided on again; if processors change it, the run asks again with the changed input.
 */
export async function awaitApprovals(
  run: Run,
  step: Step,
  { messages }: { messages: () => PromptMessages },
): Promise<void> {
  for (const call of ownCalls(step.state)) {
    const record = recordOf(step.state, call.toolCallId)
    const edited = record.approval?.edited
    if (edited) await decideAgain(run, step, { call, record, edited, messages })
    else if (record.approval === undefined || record.approval.status === 'needed')
      await requestIfNeeded(run, step, { call, record, messages })
  }
  const isWaiting = callsInWait(step).some(({ waitsFor }) => waitsFor === 'approval')
  if (!isWaiting) return
  await reviewGiven(run, step)
  const signal = suspensionOf(run, step, 'approval')
  for (const { toolCallId, waitsFor } of callsInWait(step)) {
    if (waitsFor === 'approval') markRequested(run, toolCallId)
  }
  throw signal
}

interface CallOfPolicy {
  call: ToolCall
  record: CallRecord
  messages: () => PromptMessages
}

/** Asks the policy about a decided call. What a processor asks for is needed whatever the policy says. */
async function requestIfNeeded(
  run: Run,
  step: Step,
  { call, record, messages }: CallOfPolicy,
): Promise<void> {
  const { decision, approval } = record
  if (decision === undefined || decision.kind === 'answer') return
  const status = await askPolicy(run, step, { call: { ...call, input: decision.input }, messages })
  run.throwIfOver()
  if (status.type === 'denied') {
    record.decision = denial(status.reason)
    return
  }
  const isNeeded = approval !== undefined || status.type === 'user-approval'
  const reason = approval?.reason ?? status.reason
  record.approval = {
    ...approval,
    status: isNeeded ? 'requested' : 'granted',
    ...(reason !== undefined && { reason }),
  }
}

/** Passes the approver's input through the processors and the policy, as if the model had sent it. */
async function decideAgain(
  run: Run,
  step: Step,
  { call, record, edited: { input }, messages }: CallOfPolicy & { edited: { input: unknown } },
): Promise<void> {
  const decision = await decideCall(run, step, { ...call, input })
  const { edited: _, ...approval } = record.approval as Approval
  record.approval = approval
  record.decision = decision
  if (decision.kind === 'answer') return
  const status = await askPolicy(run, step, { call: { ...call, input: decision.input }, messages })
  run.throwIfOver()
  if (status.type === 'denied') {
    record.decision = denial(status.reason)
    return
  }
  replaceInput(run, step, { toolCallId: call.toolCallId, input: decision.input })
  if (isSame(decision.input, input)) record.approval = { ...approval, status: 'granted' }
  // The approver has not seen this input.
  else delete record.decidedBy
}

/** Writes an approver's input into the call and the transcript: what is recorded is what executes. */
function replaceInput(
  run: Run,
  step: Step,
  { toolCallId, input }: { toolCallId: string; input: unknown },
): void {
  const own = copyData(input)
  changePart(run, toolCallId, (part) => ({ ...part, input: own }) as ToolPart)
  step.state.toolCalls = step.state.toolCalls.map((call) => {
    if (call.toolCallId !== toolCallId) return call
    const { inputError: _, ...rest } = call
    return { ...rest, input: own }
  })
}

/** Passes what people have already answered through the processors, before it is stored. */
async function reviewGiven(run: Run, step: Step): Promise<void> {
  if (run.pipeline.processToolResult === null) return
  const { processToolResult } = await import('./process-tool-result.ts')
  for (const toolCall of ownCalls(step.state)) {
    const record = recordOf(step.state, toolCall.toolCallId)
    const { decision, approval, outcome } = record
    const isDenied = decision?.kind === 'answer' && approval?.status === 'requested'
    const answer = isDenied ? decision.answer : decision?.kind === 'client' ? outcome : undefined
    if (!answer || record.review === null) continue
    const reviewed = await processToolResult(run, step, { toolCall, answer, preliminary: false })
    if (isDenied) record.decision = { kind: 'answer', answer: reviewed }
  }
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
function markRequested(run: Run, toolCallId: string): void {
  const approval = { id: approvalId(run.storedId, toolCallId) }
  changePart(run, toolCallId, (part) => ({ ...part, state: 'approval-requested', approval }) as ToolPart)
}

function changePart(run: Run, toolCallId: string, change: (part: ToolPart) => ToolPart): void {
  for (const { content } of run.messageList.get('response')) {
    const index = content.parts.findIndex((part) => isToolPart(part) && part.toolCallId === toolCallId)
    if (index !== -1) content.parts[index] = change(content.parts[index] as ToolPart)
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
