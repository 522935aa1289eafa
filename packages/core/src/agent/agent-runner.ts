import type { AgentInput } from '../messages/agent-input.ts'
import type { RunResult } from '../results/result.ts'
import type { RunOptions } from './agent-options.ts'

/** What a tool needs of an agent. `Agent` has it. */
export interface AgentRunner {
  readonly name: string
  generate(input: AgentInput, options?: RunOptions): Promise<RunResult>
  resume(runId: string, data: unknown, options?: RunOptions): PromiseLike<RunResult>
}
