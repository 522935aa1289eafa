import type { AgentInput } from '../messages/agent-input.ts'
import type { OpenRun } from '../results/handoff-target.ts'
import type { RunOptions } from './agent-options.ts'

/** The part of `Agent` that a tool needs. */
export interface AgentRunner {
  readonly name: string
  stream(input: AgentInput, options?: RunOptions): OpenRun
  resume(runId: string, data: unknown, options?: RunOptions): OpenRun
}
