import type { FinishReason } from '../results/outcome.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'
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

/** Calls of tools without `execute` that have no output yet. */
export function clientCalls(step: Step, calls: readonly ToolCall[]): ToolCall[] {
  return calls.filter(({ toolCallId }, index) => {
    return step.state.decisions[index]?.kind === 'client' && step.state.answers[toolCallId] === undefined
  })
}
