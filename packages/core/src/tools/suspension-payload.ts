import { isRecord } from '../record.ts'

/** Whether a tool that waits is an agent. */
export function isAgentSuspension(payload: unknown): payload is AgentSuspensionPayload {
  return isRecord(payload) && payload.type === 'agent' && typeof payload.runId === 'string'
}

/** What a run says it waits for, where an agent it uses as a tool waits for something. */
export interface AgentSuspensionPayload {
  type: 'agent'
  agentName: string
  /** The agent's suspended run. */
  runId: string
  /** What that run waits for. */
  payload: unknown
}

/** What a run that waits for approvals says it waits for. */
export interface ToolApprovalPayload {
  type: 'tool-approval'
  toolCalls: { toolCallId: string; toolName: string; input: unknown; reason?: string }[]
}

/** What a run that waits for a client's tools says it waits for. */
export interface ToolOutputPayload {
  type: 'tool-output'
  toolCalls: { toolCallId: string; toolName: string; input: unknown }[]
}

/**
 * What a run says it waits for, where it was interrupted while these calls were executed: whether they were is unknown, unless
 * they are `executed` and only their output is lost. It is resumed with an {@link InterruptedCallAnswer}, or with such answers by call id.
 */
export interface ToolInterruptedPayload {
  type: 'tool-interrupted'
  toolCalls: { toolCallId: string; toolName: string; input: unknown; executed?: true }[]
}

/**
 * What became of an interrupted call: it shall be executed again, or this is its output, or this is why it has none. The
 * model sees the output or error as that of any call.
 */
export type InterruptedCallAnswer = { retry: true } | { output: unknown } | { error: string }
