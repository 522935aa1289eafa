import type { Chunk } from '../results/chunk.ts'
import type { RunResult } from '../results/result.ts'
import type { AgentSuspensionPayload } from '../tools/suspension-payload.ts'
import type { Tool, ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'

/** The turn is handed off to an agent that was called as a tool. It is stored as it is, as JSON. */
export interface HandoffState {
  toolCallId: string
  /** The step whose call it is. */
  stepNumber: number
  /** What the agent waits for, where it has suspended. */
  waiting: AgentSuspensionPayload | undefined
  /** What the agent's steps have said, as it was passed on, each with the step of this run that has it. */
  texts: PassedOn[]
  /** How the agent's run has ended. */
  ended: 'completed' | 'limit' | undefined
}

/** What a step of the agent has said. */
export interface PassedOn {
  agentStep: number
  step: number
  text: string
  reasoningText: string
}

/** The run of the agent that has the turn, while it is read. */
export interface LiveHandoff {
  readonly agentName: string
  readonly chunks: AsyncIterator<Chunk, undefined>
  readonly result: Promise<RunResult>
  /** The call that has handed off, with its step. */
  readonly origin: { step: Step; toolCall: ToolCall; tool: Tool }
  /** What the agent has used is part of this run's usage. */
  isCounted: boolean
  /** The agent's step under way. */
  agentStep: number | undefined
  /** What was read of it and belongs to the next step of this run. */
  pending: Chunk | undefined
  /** The answer as the agent's processors left it, where that differs from what was passed on. */
  replacement: string | undefined
}
