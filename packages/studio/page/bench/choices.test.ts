import { expect, test } from 'vitest'
import type { GuardInfo } from '../../src/wire.ts'
import { chosenGuards, readOption, withOption } from './choices.ts'

const guards = ['pii', 'secrets', 'injection', 'keywords', 'regex'].map((name) => ({ name })) as GuardInfo[]

test('the first guards are on until they are taken out, and only options that differ are sent', () => {
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

test('an option that is emptied has its default again', () => {
  const options = withOption({ a: 1 }, 'b', 2)
  expect(options).toEqual({ a: 1, b: 2 })
  expect(withOption(options, 'a', undefined)).toEqual({ b: 2 })
})

test.each([
  ['number', ' 0.7 ', 0.7],
  ['integer', '3', 3],
  ['number', '', undefined],
  // The guard says what is wrong with it.
  ['number', 'much', 'much'],
  ['string', ' as it is', ' as it is'],
  ['array', 'one\n\n two ', ['one', 'two']],
  ['array', ' \n ', undefined],
] as const)('a field of type %s with %j is read as %j', (type, text, value) => {
  expect(readOption({ type }, text)).toEqual(value)
})
