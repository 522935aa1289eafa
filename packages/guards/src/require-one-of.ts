import { MillraceError } from '@millrace/core'

/**
 * A word out of a few.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option, its value and what is allowed
 */
export function requireOneOf(option: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return
  throw new MillraceError('CONFIG_INVALID', `${option} is '${value}'. Use one of: ${allowed.join(', ')}.`)
}
