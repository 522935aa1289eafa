import type { StepResult } from './result.ts'

/** Ends the loop after a step, although tools were called. */
export type StopCondition = (options: { steps: readonly StepResult[] }) => boolean | PromiseLike<boolean>

/** Holds once `count` steps are done. */
export function isStepCount(count: number): StopCondition {
  return ({ steps }) => steps.length >= count
}

/** Holds when the last step called one of these tools. */
export function hasToolCall(...toolNames: string[]): StopCondition {
  return ({ steps }) => steps.at(-1)?.toolCalls.some(({ toolName }) => toolNames.includes(toolName)) ?? false
}
