import type { AgentInput } from '../messages/agent-input.ts'
import type { Chunk } from '../results/chunk.ts'
import type { RunResult } from '../results/result.ts'
import type { RunOptions } from './agent-options.ts'

/** What a tool needs of an agent. `Agent` has it. */
export interface AgentRunner {
  readonly name: string
  stream(input: AgentInput, options?: RunOptions): OpenRun
  resume(runId: string, data: unknown, options?: RunOptions): OpenRun
}

/** A run that begins when its chunks are read, or its result is asked for. */
export interface OpenRun {
  readonly fullStream: AsyncIterable<Chunk>
  readonly result: Promise<RunResult>
}
