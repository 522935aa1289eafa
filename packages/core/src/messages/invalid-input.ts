import { MillraceError } from '../errors.ts'

/** The input of a run holds something it may not. */
export function invalidInput(what: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `The input holds ${what}. Pass a string, or an array of Message, UIMessage or ModelMessage objects.`,
  )
}

/** The input of a run holds something that only the application may say. */
export function untrustedInput(what: string, remedy: string): MillraceError {
  return new MillraceError(
    'RUN_INPUT_INVALID',
    `The input holds ${what}, which counts only in messages of the application. ${remedy}`,
  )
}
