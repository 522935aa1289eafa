import { MillraceError } from '../errors.ts'

/**
 * Copies what a run is to be resumed with as JSON, at once, so that what its giver does to it later changes nothing. An
 * `Error`, which stands for a call that failed at the client, stays one.
 *
 * @returns what gives the copy, or throws MillraceError `RUN_RESUME_INVALID` if there is none
 */
export function copyResumeData(given: unknown): () => unknown {
  if (given === undefined) return () => undefined
  const mark = crypto.randomUUID()
  const errors: Error[] = []
  try {
    const json = JSON.stringify(given, (_, value: unknown) =>
      value instanceof Error ? mark + errors.push(new Error(value.message || value.name)) : value,
    )
    const data: unknown = JSON.parse(json, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith(mark)
        ? errors[Number(value.slice(mark.length)) - 1]
        : value,
    )
    return () => data
  } catch (cause) {
    return () => {
      throw new MillraceError('RUN_RESUME_INVALID', 'The data to resume the run with is not JSON.', { cause })
    }
  }
}
