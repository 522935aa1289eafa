import { MillraceError } from '../errors.ts'
import { messageOf } from '../tools/decision.ts'
import { outputJson } from '../tools/json-output.ts'

/**
 * Copies what a run is to be resumed with as JSON, at once, so that what its giver does to it later changes nothing. An
 * `Error`, alone or by call id, stands for a call that failed at the client, and stays one.
 *
 * @returns what gives the copy, or throws MillraceError `RUN_RESUME_INVALID` if there is none
 */
export function copyResumeData(given: unknown): () => unknown {
  if (given === undefined) return () => undefined
  try {
    const data = isPlain(given) ? copyFields(Object.entries(given)) : copyValue(given, 'data')
    return () => data
  } catch (cause) {
    return () => {
      throw new MillraceError(
        'RUN_RESUME_INVALID',
        `The data to resume the run with is not JSON: ${messageOf(cause)}. Resume it with plain objects, lists, strings, numbers, booleans and null.`,
        { cause },
      )
    }
  }
}

function copyFields(given: [string, unknown][]): unknown {
  if (!given.some(([, value]) => value instanceof Error)) return outputJson(Object.fromEntries(given), 'data')
  return Object.fromEntries(given.map(([key, value]) => [key, copyValue(value ?? null, `data.${key}`)]))
}

function copyValue(value: unknown, name: string): unknown {
  return value instanceof Error ? new Error(messageOf(value)) : outputJson(value, name)
}

/** Whether it may be outputs by call id. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || (!Array.isArray(value) && Object.getPrototypeOf(prototype) === null)
}
