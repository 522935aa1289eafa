import { MillraceError } from '../errors.ts'

/** The error for an input that is not allowed. */
export function invalidInput(what: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `The input contains ${what}. Pass a string, or an array of Message, UIMessage or ModelMessage objects.`,
  )
}

/** The error for an input that only the application may send. */
export function untrustedInput(what: string, remedy: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `The input contains ${what}, which is only accepted from the application. ${remedy}`,
  )
}
