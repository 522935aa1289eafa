import { MillraceError } from './errors.ts'

/**
 * A whole number of at least `least`.
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
 * A time above 0, in milliseconds, where one is given.
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

/**
 * One of a few values.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option, its value and what is allowed
 */
export function requireOneOf(
  option: string,
  value: string | boolean,
  allowed: readonly (string | boolean)[],
): void {
  if (allowed.includes(value)) return
  throw new MillraceError('CONFIG_INVALID', `${option} is '${value}'. Use one of: ${allowed.join(', ')}.`)
}
