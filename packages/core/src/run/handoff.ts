import type { Chunk } from '../results/chunk.ts'
import type { RunResult } from '../results/result.ts'
import type { Tool, ToolCall } from '../tools/tool.ts'
import type { AgentSuspensionPayload } from '../tools/waiting-calls.ts'
import type { Step } from './step.ts'

/** The state of a turn that was handed off to an agent called as a tool. Stored as JSON. */
export interface HandoffState {
  toolCallId: string
  /** The step that made the call. */
  stepNumber: number
  /** The payload of the agent's suspension, if it has suspended. */
  waiting: AgentSuspensionPayload | undefined
  /** The text of the agent's steps, as it was relayed, each with the step of this run that contains it. */
  texts: RelayedText[]
  /** How the agent's run ended, if it has. */
  ended: 'completed' | 'limit' | undefined
}

/** The relayed text of one step of the agent. */
export interface RelayedText {
  agentStep: number
  step: number
  text: string
  reasoningText: string
}

/** The run of the agent that has the turn, while it is being read. */
export interface LiveHandoff {
  readonly agentName: string
  readonly chunks: AsyncIterator<Chunk, undefined>
  readonly result: Promise<RunResult>
  /** The call that handed off the turn, with its step. */
  readonly origin: { step: Step; toolCall: ToolCall; tool: Tool }
  /** Whether the agent's usage was added to this run's usage. */
  isCounted: boolean
  /** The number of the agent's current step. */
  agentStep: number | undefined
  /** A chunk that was read and belongs to the next step of this run. */
  pending: Chunk | undefined
  /** The answer after the agent's processors, if it differs from what was relayed. */
  replacement: string | undefined
}
