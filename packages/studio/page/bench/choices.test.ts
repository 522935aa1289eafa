import { expect, test } from 'vitest'
import type { GuardInfo } from '../../src/wire.ts'
import { chosenGuards, readOption, withOption } from './choices.ts'

const guards = ['pii', 'secrets', 'injection', 'keywords', 'regex'].map((name) => ({ name })) as GuardInfo[]

test('the first guards are selected at first, and only options that differ from the defaults are sent', () => {
  const choices = {
    secrets: { isOn: false, options: {} },
    injection: { isOn: true, options: { threshold: 0.9 } },
    regex: { isOn: true, options: {} },
  }
  expect(chosenGuards(guards, choices)).toEqual([
    { guard: 'pii' },
    { guard: 'injection', options: { threshold: 0.9 } },
    { guard: 'regex' },
  ])
})

test('an emptied option is reset to its default', () => {
  const options = withOption({ a: 1 }, 'b', 2)
  expect(options).toEqual({ a: 1, b: 2 })
  expect(withOption(options, 'a', undefined)).toEqual({ b: 2 })
})

test.each([
  ['number', ' 0.7 ', 0.7],
  ['integer', '3', 3],
  ['number', '', undefined],
  // The guard reports the error.
  ['number', 'much', 'much'],
  ['string', ' as it is', ' as it is'],
  ['array', 'one\n\n two ', ['one', 'two']],
  ['array', ' \n ', undefined],
] as const)('parses a field of type %s with %j as %j', (type, text, value) => {
  expect(readOption({ type }, text)).toEqual(value)
})
