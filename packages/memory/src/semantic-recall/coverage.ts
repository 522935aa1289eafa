import { MillraceError } from '@millrace/core'

/** @throws MillraceError `CONFIG_INVALID` */
export function checkCoverage(minCoverage: number | undefined): number | undefined {
  if (minCoverage === undefined || (minCoverage >= 0 && minCoverage <= 1)) return minCoverage
  throw new MillraceError('CONFIG_INVALID', `minCoverage is ${minCoverage}. Use a number from 0 to 1.`)
}
