import type { Schema } from '../schema.ts'
import type { Tool, ToolExecutionOptions } from '../tools/tool.ts'
import type { Chunk } from './chunk.ts'
import type { RunResult } from './result.ts'

/** A run that starts when its chunks are read or its result is accessed. */
export interface OpenRun {
  readonly fullStream: AsyncIterable<Chunk>
  readonly result: Promise<RunResult>
  /** Whether it emits text that processors may still change when its step is complete. Default: true. */
  readonly waitsForReview?: boolean
}

/** An agent that takes over the turn of the run that calls it as a tool. */
export interface HandoffTarget {
  readonly agentName: string
  /** Maximum nesting depth of agents below the outermost. */
  readonly maxDepth: number
  /**
   * Opens the agent's run, or resumes the one that had suspended.
   *
   * @param output The schema of the turn's answer
   */
  open(input: unknown, execution: ToolExecutionOptions, output: Schema | undefined): Promise<OpenRun>
}

/** A property of the tool, so that copies and wrappers of the tool keep it. */
const TARGET = Symbol.for('millrace.handoff')

export function withHandoff<TOOL extends object>(tool: TOOL, target: HandoffTarget): TOOL {
  return Object.assign(tool, { [TARGET]: target })
}

/** The agent that the tool hands off to, if it does. */
export function handoffOf(tool: Tool): HandoffTarget | undefined {
  return (tool as { [TARGET]?: HandoffTarget })[TARGET]
}
