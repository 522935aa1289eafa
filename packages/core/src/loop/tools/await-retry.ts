import { backOff } from '../../model/retry.ts'
import { recordOf } from '../../run/call-record.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isSignal } from '../../signals.ts'
import type { Tool, ToolCall } from '../../tools/tool.ts'

const DEFAULT_RETRIES = 2

/**
 * Decides whether a failed call is retried, and waits for the backoff. Retries are counted per call, also across a
 * suspension.
 *
 * @returns `false` if the error is the call's result
 * @throws The reason of the run's abort signal, if the run ends while waiting
 */
export async function awaitRetry(
  run: Run,
  step: Step,
  { call, tool, error }: { call: ToolCall; tool: Tool; error: unknown },
): Promise<boolean> {
  const record = recordOf(step.state, call.toolCallId)
  const { retries = 0 } = record
  if (isSignal(error) || retries >= (tool.maxRetries ?? DEFAULT_RETRIES) || !isRetryable(tool, error))
    return false
  if (!(await backOff(error, { failures: retries, signal: run.signal }))) return false
  record.retries = retries + 1
  return true
}

/** If `retryable` throws, the call is not retried. */
function isRetryable(tool: Tool, error: unknown): boolean {
  try {
    return tool.retryable?.(error) === true
  } catch {
    return false
  }
}
