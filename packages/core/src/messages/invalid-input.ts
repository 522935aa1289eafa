import { MillraceError } from '../errors.ts'

/** The input of a run holds something it may not. */
export function invalidInput(what: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `The input holds ${what}. Pass a string, or an array of Message, UIMessage or ModelMessage objects.`,
  )
}
