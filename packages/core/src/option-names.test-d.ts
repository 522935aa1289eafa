import { test } from 'vitest'
import type { OptionNames } from './option-names.ts'

interface Settings {
  name: string
  limit?: number
  inner?: { one?: number }
  must: { two?: number }
  each?: readonly { three: number }[]
  byName?: Record<string, { four?: number }>
  mixed?: number | { five?: number }
  call?: (value: string) => void
  data?: unknown
}

const NAMES: OptionNames<Settings> = {
  name: 'required',
  limit: 'optional',
  inner: { one: 'optional' },
  must: ['required', { two: 'optional' }],
  each: { three: 'required' },
  byName: { '*': { four: 'optional' } },
  mixed: { five: 'optional' },
  call: 'optional',
  data: 'optional',
}

test('a table fits its type', () => {
  ;({ ...NAMES, inner: 'open', must: ['required', 'open'], mixed: 'open' }) satisfies OptionNames<Settings>
  // @ts-expect-error a name is missing
  ;({ name: 'required' }) satisfies OptionNames<{ name: string; limit?: number }>
  // @ts-expect-error a name is surplus
  ;({ name: 'required', nome: 'optional' }) satisfies OptionNames<{ name: string }>
  // @ts-expect-error the type requires it
  ;({ name: 'optional' }) satisfies OptionNames<{ name: string }>
  // @ts-expect-error the type does not require it
  ;({ name: 'required' }) satisfies OptionNames<{ name?: string }>
  // @ts-expect-error every property of the object is optional, so only a table finds a misspelt one
  ;({ inner: 'optional' }) satisfies OptionNames<Pick<Settings, 'inner'>>
  // @ts-expect-error a name of the inner table is missing
  ;({ inner: {} }) satisfies OptionNames<Pick<Settings, 'inner'>>
})

test('a table of a union has the names of all its types, and requires what all require', () => {
  type Either = { limit: number; before: string; after?: never } | { limit: number; after: string }
  ;({ limit: 'required', before: 'optional', after: 'optional' }) satisfies OptionNames<Either>
  // @ts-expect-error one of the types does not require it
  ;({ limit: 'required', before: 'required', after: 'optional' }) satisfies OptionNames<Either>
})
