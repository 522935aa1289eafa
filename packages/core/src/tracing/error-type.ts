import { MillraceError } from '../errors.ts'

/** The value of `error.type`: the code of a Millrace error, otherwise the error's name. Never its message. */
export function errorType(error: unknown): string {
  if (MillraceError.isInstance(error)) return error.code
  const name = typeof error === 'object' && error !== null && 'name' in error ? error.name : undefined
  return typeof name === 'string' && name !== '' ? name : '_OTHER'
}

/** Stands for the error of a tool, which is not recorded because it may quote user content. */
export const TOOL_ERROR: { readonly name: string } = { name: 'tool_error' }
