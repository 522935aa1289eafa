import type { Schema } from '../schema.ts'
import type { Tool, ToolExecutionOptions } from '../tools/tool.ts'
import type { Chunk } from './chunk.ts'
import type { RunResult } from './result.ts'

/** A run that begins when its chunks are read, or its result is asked for. */
export interface OpenRun {
  readonly fullStream: AsyncIterable<Chunk>
  readonly result: Promise<RunResult>
}

/** An agent that takes over the turn of the run that calls it as a tool. */
export interface HandoffTarget {
  readonly agentName: string
  /** How many agents may run within each other, below the outermost. */
  readonly maxDepth: number
  /**
   * Begins the agent's run, or resumes the one it had suspended.
   *
   * @param output The form the turn's answer is asked for in
   */
  open(input: unknown, execution: ToolExecutionOptions, output: Schema | undefined): Promise<OpenRun>
}

/** On the tool, so that copies and wrappers of it have it too. */
const TARGET = Symbol.for('millrace.handoff')

export function withHandoff<TOOL extends object>(tool: TOOL, target: HandoffTarget): TOOL {
  return Object.assign(tool, { [TARGET]: target })
}

/** The agent that a call of the tool hands the turn off to, if it does. */
export function handoffOf(tool: Tool): HandoffTarget | undefined {
  return (tool as { [TARGET]?: HandoffTarget })[TARGET]
}
