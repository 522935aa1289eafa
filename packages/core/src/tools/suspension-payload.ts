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
