import type { FinishReason } from '../results/outcome.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'
import type { StepState } from './step-state.ts'

/** Reasons after which a response is incomplete or unsafe, so that its calls are not what the model meant. */
const UNFINISHED: ReadonlySet<FinishReason> = new Set(['length', 'content-filter', 'error', 'interrupted'])

/** Whether the calls of a response that ended so may run. */
export function allowsTools(finishReason: FinishReason): boolean {
  return !UNFINISHED.has(finishReason)
}

/** Calls the agent answers itself; the others are answered by the provider. */
export function ownCalls({ toolCalls }: Pick<StepState, 'toolCalls'>): ToolCall[] {
  return toolCalls.filter(({ providerExecuted }) => !providerExecuted)
}

/** Calls of tools without `execute` that have no output yet. */
export function clientCalls(step: Step, calls: readonly ToolCall[]): ToolCall[] {
  return calls.filter(({ toolCallId }, index) => {
    return step.state.decisions[index]?.kind === 'client' && step.state.answers[toolCallId] === undefined
  })
}
