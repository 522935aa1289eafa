import { MillraceError } from '@millrace/core'

/**
 * A number that counts something.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function requireCount(option: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value
  throw new MillraceError(
    'CONFIG_INVALID',
    `${option} is ${String(value)}. Use a whole number of at least ${least}.`,
  )
}

/**
 * A time, in milliseconds.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function requireTime(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return value
  throw new MillraceError(
    'CONFIG_INVALID',
    `${option} is ${String(value)}. Use a number of milliseconds above 0.`,
  )
}
