import type { OptionNames } from '../option-names.ts'
import { checkId, checkText, expiry, ownerKey, readKey, readOptions } from './arguments.ts'
import type { AddToCounterOptions, KeyOptions, SetKeyOptions } from './counter-store.ts'
import { invalidInput } from './store-errors.ts'

const KEY: OptionNames<KeyOptions> = { resourceId: 'optional', key: 'required' }

const ADD_TO_COUNTER_OPTIONS: OptionNames<AddToCounterOptions> = {
  ...KEY,
  amount: 'required',
  limit: 'optional',
  expiresIn: 'optional',
}

const SET_KEY_OPTIONS: OptionNames<SetKeyOptions> = {
  ...KEY,
  value: 'required',
  expiresIn: 'optional',
  ifAbsent: 'optional',
}

export interface KeyColumns {
  owner: string
  key: string
}

export function parseKey(options: KeyOptions): KeyColumns {
  return keyColumns(readKey('The key of a counter', options, KEY))
}

function keyColumns({ resourceId, key }: KeyOptions): KeyColumns {
  return { owner: ownerKey(resourceId), key: checkId('key', key) }
}

export function parseAddToCounter(given: AddToCounterOptions): KeyColumns & {
  amount: number
  limit: number | undefined
  expiresAt: number | undefined
} {
  const options = readOptions('store.addToCounter()', given, ADD_TO_COUNTER_OPTIONS)
  const { amount, limit, expiresIn } = options
  for (const [name, value] of Object.entries({ amount, limit })) {
    if (Number.isSafeInteger(value) || (value === undefined && name === 'limit')) continue
    throw invalidInput(`${name} must be a safe integer: count in the smallest unit, such as cents or tokens.`)
  }
  return { ...keyColumns(options), amount, limit, expiresAt: optionalExpiry(expiresIn) }
}

export function parseSetKey(given: SetKeyOptions): KeyColumns & {
  value: string
  expiresAt: number | undefined
  ifAbsent: boolean
} {
  const options = readOptions('store.setKey()', given, SET_KEY_OPTIONS)
  const { value, expiresIn, ifAbsent = false } = options
  return {
    ...keyColumns(options),
    value: checkText('value', value),
    expiresAt: optionalExpiry(expiresIn),
    ifAbsent,
  }
}

function optionalExpiry(expiresIn: number | undefined): number | undefined {
  return expiresIn === undefined ? undefined : expiry('expiresIn', expiresIn)
}
