import { describe, expect, test } from 'vitest'
import { MillraceError } from './errors.ts'
import { type OptionNames, refuseMisspelled, requireOptions } from './option-names.ts'

interface Options {
  limit: number
  strategy?: 'block' | 'redact'
  settings?: { maxOutputTokens?: number; topP?: number }
  rules?: readonly ({ pattern: string; score?: number } | string)[]
  prices?: Record<string, { input?: number }>
  authenticate?: () => string
  timeout?: number | { totalMs?: number }
}

const NAMES: OptionNames<Options> = {
  limit: 'required',
  strategy: 'optional',
  settings: { maxOutputTokens: 'optional', topP: 'optional' },
  rules: { pattern: 'required', score: 'optional' },
  prices: { '*': { input: 'optional' } },
  authenticate: 'optional',
  timeout: { totalMs: 'optional' },
}

const read = (options: unknown): Options => requireOptions('Guard', options as Options, NAMES)

function refusal(options: unknown): string {
  try {
    read(options)
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'CONFIG_INVALID') return error.message
    throw error
  }
  return 'accepted'
}

describe('refuses', () => {
  test.each<[string, unknown, string]>([
    [
      'a misspelt name with the nearest',
      { limit: 1, stratgy: 'block' },
      "Guard has no option 'stratgy'. Did you mean 'strategy'?",
    ],
    ['another case', { Limit: 1 }, "Did you mean 'limit'?"],
    ['snake case', { limit: 1, settings: { top_p: 1 } }, "'settings.top_p'. Did you mean 'settings.topP'?"],
    [
      'a name without a neighbour, listing all',
      { limit: 1, colour: 'red' },
      'The options are limit, strategy, settings,',
    ],
    [
      "another framework's name with ours",
      { limit: 1, settings: { maxTokens: 9 } },
      "In Millrace it is 'settings.maxOutputTokens'.",
    ],
    ['a name that belongs one level deeper', { limit: 1, topP: 1 }, "Did you mean 'settings.topP'?"],
    [
      'a name in an object of a list',
      { limit: 1, rules: ['a', { pattern: 'b', scor: 1 }] },
      "'rules[1].scor'. Did you mean 'rules[1].score'?",
    ],
    [
      'a name in an object of a record',
      { limit: 1, prices: { small: { imput: 1 } } },
      "'prices.small.imput'. Did you mean 'prices.small.input'?",
    ],
    [
      'a name in one form of a union',
      { limit: 1, timeout: { totalMS: 1 } },
      "Did you mean 'timeout.totalMs'?",
    ],
    ['a misspelt name without a value', { limit: 1, stratgy: undefined }, "'stratgy'"],
    ['a name that all objects inherit', { limit: 1, toString: 1 }, "'toString'"],
    ['an own __proto__', JSON.parse('{"limit":1,"__proto__":{"strategy":"block"}}'), "'__proto__'"],
    [
      'no options where one is required',
      undefined,
      "Guard needs a value for 'limit', which is undefined. Required: limit.",
    ],
    ['undefined where a value is required', { limit: undefined }, "Guard needs a value for 'limit'"],
    [
      'a missing one of an object of a list',
      { limit: 1, rules: [{ score: 1 }] },
      "Guard needs a value for 'rules[0].pattern'",
    ],
    ['null', null, 'The argument of Guard must be an object, not null.'],
    ['an array', ['a'], 'not an array. Its options are limit,'],
    ['a string', 'a', 'not a string'],
    ['a function', () => ({}), 'not a function'],
    ['an instance without any option', new Map([['limit', 1]]), 'not an instance of Map'],
    ['a promise', Promise.resolve({ limit: 1 }), 'not an instance of Promise'],
  ])('%s', (_, options, message) => {
    expect(refusal(options)).toContain(message)
  })

  test('a misspelt getter of a class', () => {
    class Config {
      readonly limit = 1
      get stratgy(): string {
        return 'block'
      }
    }
    expect(refusal(new Config())).toContain("Did you mean 'strategy'?")
  })

  test('a long name, cut', () => {
    expect(refusal({ limit: 1, ['x'.repeat(100_000)]: 1 }).length).toBeLessThan(300)
  })
})

describe('reads', () => {
  test('plain options as the same object', () => {
    const options = { limit: 1, settings: { topP: 1 } }
    expect(read(options)).toBe(options)
  })

  test('an object without a prototype, and own symbols', () => {
    const options = { __proto__: null, limit: 1, [Symbol('mine')]: 1 }
    expect(read(options)).toBe(options)
  })

  test('undefined as no value, so that it overrides no default', () => {
    const read = requireOptions<Options>('Guard', { limit: 1, strategy: undefined } as never, NAMES)
    expect({ strategy: 'block', ...read }).toEqual({ limit: 1, strategy: 'block' })
  })

  test('inherited options', () => {
    expect({ ...read(Object.create({ limit: 1, strategy: 'block' })) }).toEqual({
      limit: 1,
      strategy: 'block',
    })
    expect(refusal(Object.create({ limit: 1, stratgy: 'block' }))).toContain("Did you mean 'strategy'?")
  })

  test('the fields, getters and methods of a class', () => {
    class Config {
      readonly #user = 'ada'
      readonly limit = 1
      get strategy(): string {
        return 'block'
      }
      authenticate(): string {
        return this.#user
      }
      helper(): void {}
    }
    const { authenticate, ...rest } = read(new Config())
    expect(rest).toEqual({ limit: 1, strategy: 'block' })
    expect(authenticate?.()).toBe('ada')
  })

  test('an inner object of a class', () => {
    class Settings {
      get topP(): number {
        return 1
      }
    }
    expect(read({ limit: 1, settings: new Settings() })).toEqual({ limit: 1, settings: { topP: 1 } })
  })
})

test('refuses in an open object what is like a name of ours, unless it asks for nothing', () => {
  const refuse = (given: object): void => refuseMisspelled('The body', given, NAMES)
  expect(() => refuse({ stratgy: 'block' })).toThrow(
    "The body has no option 'stratgy'. Did you mean 'strategy'?",
  )
  expect(() => refuse({ stratgy: false, limitless: undefined, anything: 1, id: 1 })).not.toThrow()
})
