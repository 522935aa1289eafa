import { checkCount, checkId, ownerKey } from './arguments.ts'
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
  return { ...parseKey(options), amount, limit, expiresAt: expiry(expiresIn) }
}

export function parseSetKey(options: SetKeyOptions): KeyColumns & {
  value: string
  expiresAt: number | undefined
  ifAbsent: boolean
} {
  const { value, expiresIn, ifAbsent = false } = options
  if (typeof value !== 'string') throw invalidInput('value must be a string: give JSON for anything else.')
  if (value.includes('\0') || !value.isWellFormed()) {
    throw invalidInput(
      'value contains U+0000 or half a surrogate pair, which databases cannot keep. Give JSON.',
    )
  }
  return { ...parseKey(options), value, expiresAt: expiry(expiresIn), ifAbsent }
}

function expiry(expiresIn: number | undefined): number | undefined {
  if (expiresIn === undefined) return undefined
  return Date.now() + checkCount('expiresIn', expiresIn, { fallback: 0 })
}
