// What has certain tools is also one with any tools: functions can take any agent, step or result.

import { z } from 'zod'
import { Agent, type RunResult, type StepResult, type ToolCallOf, type ToolSet, tool } from '../index.ts'

declare const model: never
const plain = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => city })
const agent = new Agent({ model, tools: { plain } })
type T = { plain: typeof plain }
declare const call: ToolCallOf<T>
export const c: ToolCallOf<ToolSet> = call
declare const step: StepResult<T>
export const s: StepResult = step
declare const result: RunResult<T, unknown>
export const r: RunResult = result
export const g: Pick<Agent, 'generate'> = agent
export const st: Pick<Agent, 'stream'> = agent
export const re: Pick<Agent, 'resume'> = agent
export const any: Agent = agent

// @ts-expect-error the input is still known
export const input: number = call.input
