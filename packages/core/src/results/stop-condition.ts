import { MillraceError, readable } from '../errors.ts'
import type { StepResult } from './result.ts'

/** Whether the loop ends after a step even if the model has called tools. */
export type StopCondition = (options: { steps: readonly StepResult[] }) => boolean | PromiseLike<boolean>

/** True after `count` steps. */
export function isStepCount(count: number): StopCondition {
  return ({ steps }) => steps.length >= count
}

/** True if the last step called one of these tools. */
export function hasToolCall(...toolNames: string[]): StopCondition {
  return ({ steps }) => steps.at(-1)?.toolCalls.some(({ toolName }) => toolNames.includes(toolName)) ?? false
}

/**
 * Whether one of the conditions is true. Evaluates them in order.
 *
 * @throws MillraceError `RUN_STOP_CONDITION_FAILED`
 */
export async function isMet(
  conditions: readonly StopCondition[],
  steps: readonly StepResult[],
): Promise<boolean> {
  for (const [index, condition] of conditions.entries()) {
    try {
      if (await condition({ steps })) return true
    } catch (cause) {
      throw new MillraceError(
        'RUN_STOP_CONDITION_FAILED',
        `Condition ${index} of stopWhen threw an error, so the run was stopped. See the cause for the error and its stack.`,
        { cause: readable(cause) },
      )
    }
  }
  return false
}
