import { MillraceError, messageOf } from '../../errors.ts'
import { outputJson } from '../../messages/json-output.ts'

/**
 * The data that a run is resumed with, as JSON. An `Error`, alone or by call id, stays an `Error`: the call failed at
 * the client.
 *
 * @param given Returns the copy that was made when `resume` was called, or throws the error of copying
 * @throws MillraceError `RUN_RESUME_INVALID`
 */
export function readResumeData(given: () => unknown): unknown {
  try {
    const data = given()
    if (data === undefined) return undefined
    return isPlain(data) ? readFields(Object.entries(data)) : readValue(data, 'data')
  } catch (cause) {
    throw new MillraceError(
      'RUN_RESUME_INVALID',
      `The data to resume the run with is not JSON: ${messageOf(cause)}. Resume it with plain objects, lists, strings, numbers, booleans and null.`,
      { cause },
    )
  }
}

function readFields(fields: [string, unknown][]): unknown {
  if (!fields.some(([, value]) => value instanceof Error))
    return outputJson(Object.fromEntries(fields), 'data')
  return Object.fromEntries(fields.map(([key, value]) => [key, readValue(value ?? null, `data.${key}`)]))
}

function readValue(value: unknown, name: string): unknown {
  return value instanceof Error ? new Error(messageOf(value)) : outputJson(value, name)
}

/** Whether the value may be an object of outputs by call id. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || (!Array.isArray(value) && Object.getPrototypeOf(prototype) === null)
}
