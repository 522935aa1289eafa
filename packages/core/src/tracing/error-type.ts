import { MillraceError } from '../errors.ts'

/** What `error.type` says: the code of an error of Millrace, else the error's name. Never its message. */
export function errorType(error: unknown): string {
  if (MillraceError.isInstance(error)) return error.code
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
  return typeof name === 'string' && name !== '' ? name : '_OTHER'
}

/** A tool has answered with an error. The error itself stays out: it may quote what was said. */
export const TOOL_ERROR: { readonly name: string } = { name: 'tool_error' }
