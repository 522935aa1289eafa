import { checkId, checkText, expiry, ownerKey } from './arguments.ts'
import type { AddToCounterOptions, KeyOptions, SetKeyOptions } from './counter-store.ts'
import { invalidInput } from './store-errors.ts'

export interface KeyColumns {
  owner: string
  key: string
}

export function parseKey({ resourceId, key }: KeyOptions): KeyColumns {
  return { owner: ownerKey(resourceId), key: checkId('key', key) }
}

export function parseAddToCounter(options: AddToCounterOptions): KeyColumns & {
  amount: number
  limit: number | undefined
  expiresAt: number | undefined
} {
  const { amount, limit, expiresIn } = options
  for (const [name, value] of Object.entries({ amount, limit })) {
    if (Number.isSafeInteger(value) || (value === undefined && name === 'limit')) continue
    throw invalidInput(`${name} must be a safe integer: count in the smallest unit, such as cents or tokens.`)
  }
  return { ...parseKey(options), amount, limit, expiresAt: optionalExpiry(expiresIn) }
}

export function parseSetKey(options: SetKeyOptions): KeyColumns & {
  value: string
  expiresAt: number | undefined
  ifAbsent: boolean
} {
  const { value, expiresIn, ifAbsent = false } = options
  return {
    ...parseKey(options),
    value: checkText('value', value),
    expiresAt: optionalExpiry(expiresIn),
    ifAbsent,
  }
}

function optionalExpiry(expiresIn: number | undefined): number | undefined {
  return expiresIn === undefined ? undefined : expiry('expiresIn', expiresIn)
}
