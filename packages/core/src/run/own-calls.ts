import type { FinishReason } from '../results/outcome.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { StepState } from './step-state.ts'

/** Finish reasons of an incomplete or unsafe response. Its tool calls may not be what the model intended. */
const UNFINISHED: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'error', 'interrupted'])

/** Whether the tool calls of a response with this finish reason may be executed. */
export function allowsTools(finishReason: FinishReason): boolean {
  return !UNFINISHED.has(finishReason)
}

/** The calls that the agent answers itself. The provider answers the others. */
export function ownCalls({ toolCalls }: Pick<StepState, 'toolCalls'>): ToolCall[] {
  return toolCalls.filter(({ providerExecuted }) => !providerExecuted)
}
