import type { RunResult, RunWarning } from '@millrace/core'
import { revivedError, revivedMessage, type StoredError, storedError } from './stored-chunk.ts'

/** A result as JSON: dates are strings, errors have their stored form. */
export type StoredResult = RunResult

export function storedResult(result: RunResult): StoredResult {
  const warnings = result.warnings.map(
    (warning): RunWarning => ('error' in warning ? { ...warning, error: String(warning.error) } : warning),
  )
  const aborted = result.status === 'aborted' && { abortReason: storedError(result.abortReason) }
  return { ...result, ...aborted, warnings } as RunResult
}

/** Parses the result of a workflow, and restores dates and errors. */
export function revivedResult(text: string): RunResult {
  const result: StoredResult = JSON.parse(text)
  const { status, abortReason } = result
  return {
    ...result,
    messages: result.messages.map(revivedMessage),
    steps: result.steps.map((step) => {
      const { timestamp } = step.response
      return timestamp === undefined
        ? step
        : { ...step, response: { ...step.response, timestamp: new Date(timestamp) } }
    }),
    ...(status === 'aborted' && { abortReason: revivedError(abortReason as StoredError) }),
  } as RunResult
}
