import { MillraceError, type OptionNames } from '@millrace/core'
import { type BudgetScope, requireDistinct, requireScope, requireWindow } from '../budget/account.ts'
import { NANO } from './price.ts'

/** A limit. It has at least one of `money`, `tokens` and `calls`. */
export interface CostLimit {
  /**
   * Whose use is counted together: `'run'`, `'thread'`, `'resource'` or `'all'`. Default: `'resource'`. Runs without
   * that id share one count.
   */
  readonly scope?: 'run' | BudgetScope
  /** The length of the window, in milliseconds. Not with `'run'`. Default: use counts forever. */
  readonly windowMs?: number
  /** The maximum amount of money, in the currency of the prices. A limit has `money`, `tokens` or `calls`. */
  readonly money?: number
  /** The maximum number of tokens, input and output together. */
  readonly tokens?: number
  /** The maximum number of model calls: one for each step of a run. */
  readonly calls?: number
}

export const COST_LIMIT: OptionNames<CostLimit> = {
  scope: 'optional',
  windowMs: 'optional',
  money: 'optional',
  tokens: 'optional',
  calls: 'optional',
}

export type CostUnit = 'money' | 'tokens' | 'calls'

/** A limit of one unit. Money is in billionths. */
export interface CostRule {
  readonly scope: 'run' | BudgetScope
  readonly windowMs: number | undefined
  readonly unit: CostUnit
  readonly limit: number
}

const UNITS: readonly CostUnit[] = ['calls', 'tokens', 'money']

/** @throws MillraceError `CONFIG_INVALID` */
export function costRules(limits: readonly CostLimit[]): CostRule[] {
  if (!Array.isArray(limits) || limits.length === 0) {
    throw new MillraceError('CONFIG_INVALID', 'CostGuard has no limits. Pass at least one.')
  }
  const rules = limits.flatMap((limit: CostLimit): CostRule[] => {
    const { scope = 'resource', windowMs } = limit
    requireScope(scope, ['run', 'thread', 'resource', 'all'])
    requireWindow(windowMs)
    if (scope === 'run' && windowMs !== undefined) {
      throw new MillraceError('CONFIG_INVALID', "A limit of the scope 'run' has a windowMs. Leave it out.")
    }
    const units = UNITS.filter((unit) => limit[unit] !== undefined)
    if (units.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'A limit has no money, tokens or calls. Set one of them.')
    }
    return units.map((unit) => ({ scope, windowMs, unit, limit: amountOf(unit, limit[unit] as number) }))
  })
  requireDistinct(rules.map(({ scope, windowMs, unit }) => `${scope} ${unit} ${windowMs ?? ''}`))
  return rules
}

function amountOf(unit: CostUnit, value: number): number {
  const amount = unit === 'money' ? Math.floor(value * NANO + 1e-3) : value
  if (Number.isSafeInteger(amount) && amount > 0) return amount
  throw new MillraceError(
    'CONFIG_INVALID',
    `A limit of ${unit} is ${value}. Use ${unit === 'money' ? 'a number above 0 and below 9 million' : 'an integer of at least 1'}.`,
  )
}

/** An amount in the unit of the options. */
export function inOptionUnit(unit: CostUnit, amount: number): number {
  return unit === 'money' ? amount / NANO : amount
}
