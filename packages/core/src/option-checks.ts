import { MillraceError } from './errors.ts'

/**
 * Requires an integer of at least `least`.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function requireCount(option: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value
  throw new MillraceError(
    'CONFIG_INVALID',
    `${option} is ${String(value)}. Use an integer of at least ${least}.`,
  )
}

/**
 * Requires a positive number of milliseconds, or `undefined`.
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
 * Requires a number from 0 to 1, inclusive, or `undefined`.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option and its value
 */
export function requireFraction(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (value >= 0 && value <= 1)) return value
  throw new MillraceError('CONFIG_INVALID', `${option} is ${String(value)}. Use a number from 0 to 1.`)
}

/**
 * Requires one of the allowed values.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the option, its value and the allowed values
 */
export function requireOneOf(
  option: string,
  value: string | boolean,
  allowed: readonly (string | boolean)[],
): void {
  if (allowed.includes(value)) return
  throw new MillraceError('CONFIG_INVALID', `${option} is '${value}'. Use one of: ${allowed.join(', ')}.`)
}
