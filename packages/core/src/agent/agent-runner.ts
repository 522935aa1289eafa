import type { AgentInput } from '../messages/agent-input.ts'
import type { OpenRun } from '../results/handoff-target.ts'
import type { RunOptions } from './agent-options.ts'

/** What a tool needs of an agent. `Agent` has it. */
export interface AgentRunner {
  readonly name: string
  stream(input: AgentInput, options?: RunOptions): OpenRun
  resume(runId: string, data: unknown, options?: RunOptions): OpenRun
}
