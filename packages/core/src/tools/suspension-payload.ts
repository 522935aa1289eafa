import { isRecord } from '../record.ts'

/** Whether the payload is that of an agent that is used as a tool. */
export function isAgentSuspension(payload: unknown): payload is AgentSuspensionPayload {
  return isRecord(payload) && payload.type === 'agent' && typeof payload.runId === 'string'
}

/** The payload if an agent that is used as a tool has suspended. */
export interface AgentSuspensionPayload {
  type: 'agent'
  agentName: string
  /** The agent's suspended run. */
  runId: string
  /** The payload of that run. */
  payload: unknown
}

/** The payload of a run that waits for approvals. */
export interface ToolApprovalPayload {
  type: 'tool-approval'
  toolCalls: { toolCallId: string; toolName: string; input: unknown; reason?: string }[]
}

/** The payload of a run that waits for the outputs of client tools. */
export interface ToolOutputPayload {
  type: 'tool-output'
  toolCalls: { toolCallId: string; toolName: string; input: unknown }[]
}

/**
 * The payload of a run that was interrupted while these calls were executed. Whether they were executed is unknown,
 * unless `executed` is set: then only their output was lost. Resume the run with an {@link InterruptedCallAnswer}, or
 * an object of such answers by call id.
 */
export interface ToolInterruptedPayload {
  type: 'tool-interrupted'
  toolCalls: { toolCallId: string; toolName: string; input: unknown; executed?: true }[]
}

/**
 * The payload of a run that has called tools and whose thread could not be written at its end. It waits for no data:
 * resuming it writes the thread.
 */
export interface ThreadUnwrittenPayload {
  type: 'thread-unwritten'
  code: 'RUN_THREAD_UNWRITTEN'
  message: string
}

/**
 * The outcome of an interrupted call: execute it again, or use this output or error. The model sees the output or
 * error as usual.
 */
export type InterruptedCallAnswer = { retry: true } | { output: unknown } | { error: string }
