import type { MessagePart } from '../messages/message.ts'
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
  /** The steps of the agent that were relayed, each with the step of this run that contains it. */
  relayed: RelayedStep[]
  /** Whether the agent's processors may still change the text of the last step that was relayed. */
  waitsForReview: boolean
  /** How the agent's run ended, if it has. */
  ended: 'completed' | 'limit' | undefined
}

export interface RelayedStep {
  agentStep: number
  step: number
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
  /** A relayed step after the agent's processors, if they have changed it. It replaces the one that was discarded. */
  replacement: { agentStep: number; parts: readonly MessagePart[] } | undefined
  /** Whether the agent emits text that its processors may still change. */
  readonly waitsForReview: () => boolean
}
