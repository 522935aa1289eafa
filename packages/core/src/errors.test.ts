import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERROR_CODES, MillraceError } from './errors.ts'
import { TripWire } from './signals.ts'

const folder = import.meta.dirname
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(path) && path !== 'errors.ts')
  .map((path) => readFileSync(join(folder, path), 'utf8'))

test('every code in the table is thrown somewhere, and every code thrown is in the table', () => {
  const used = new Set(
    sources
      .flatMap((source) => [...source.matchAll(/'((?:CONFIG|MODEL|TOOL|PROCESSOR|STORAGE|RUN)_[A-Z_]+)'/g)])
      .map(([, code]) => code),
  )
  expect([...used].sort()).toEqual(Object.keys(ERROR_CODES).sort())
})

test('every code has a meaning that is a sentence', () => {
  for (const meaning of Object.values(ERROR_CODES)) expect(meaning).toMatch(/^[A-Z].*\.$/)
})

test('an error is recognized when it comes from another copy of the package', () => {
  const cause = new Error('below')
  const error = new MillraceError('CONFIG_INVALID', 'Wrong.', { cause })
  expect(MillraceError.isInstance(error)).toBe(true)
  expect(error.cause).toBe(cause)
  expect(MillraceError.isInstance(new Error('Wrong.'))).toBe(false)
  expect(MillraceError.isInstance({ code: 'CONFIG_INVALID' })).toBe(false)
  const foreign = Object.defineProperty(new Error('Wrong.'), Symbol.for('millrace.error'), { value: true })
  expect(MillraceError.isInstance(foreign)).toBe(true)
})

test('a TripWire is recognized when it comes from another copy of the package', () => {
  expect(TripWire.isInstance(new TripWire('Stop.', { retry: true }))).toBe(true)
  expect(TripWire.isInstance(new Error('Stop.'))).toBe(false)
  const foreign = Object.defineProperty(new Error('Stop.'), Symbol.for('millrace.signal'), {
    value: 'tripwire',
  })
  expect(TripWire.isInstance(foreign)).toBe(true)
})
