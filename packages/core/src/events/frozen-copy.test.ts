import { expect, test } from 'vitest'
import { frozenCopy } from './frozen-copy.ts'

test('copies and freezes all data deeply', () => {
  const value = {
    text: 'a',
    list: [{ n: 1 }, null, undefined],
    at: new Date(0),
    bytes: new Uint8Array([1, 2]),
  }
  const copy = frozenCopy(value)
  expect(copy).toEqual(value)
  for (const part of [copy, copy.list, copy.list[0], copy.at]) expect(Object.isFrozen(part)).toBe(true)
  copy.bytes[0] = 9
  copy.at.setTime(1)
  expect(value.bytes[0]).toBe(1)
  expect(value.at.getTime()).toBe(0)
})

test('keeps cycles', () => {
  const value: { self?: unknown } = {}
  value.self = value
  const copy = frozenCopy(value)
  expect(copy.self).toBe(copy)
})

test('leaves out functions, and shows errors by name and message', () => {
  expect(frozenCopy({ run: () => {}, error: new TypeError('No.') })).toEqual({
    run: undefined,
    error: { name: 'TypeError', message: 'No.' },
  })
})

test('leaves out what cannot be read', () => {
  const value = {
    fine: 1,
    get broken(): string {
      throw new Error('No.')
    },
  }
  expect(frozenCopy(value)).toEqual({ fine: 1, broken: undefined })
})

test('leaves out detached buffers, and revoked proxies', () => {
  const bytes = new ArrayBuffer(8)
  structuredClone(bytes, { transfer: [bytes] })
  const refuses = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('No.')
      },
    },
  )
  expect(frozenCopy({ fine: 1, bytes, refuses })).toEqual({ fine: 1, bytes: undefined, refuses: undefined })
})

test('truncates what is nested deeper than the stack', () => {
  let deep: unknown = 'bottom'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const copy = frozenCopy({ deep, after: 1 }) as { deep: unknown[]; after: number }
  expect(copy.after).toBe(1)
  let levels = 0
  for (let level: unknown = copy.deep; Array.isArray(level); level = level[0]) levels++
  expect(levels).toBeGreaterThan(100)
})

test('does not treat a key as something else', () => {
  const copy = frozenCopy(JSON.parse('{"__proto__": {"polluted": true}}') as object)
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect(Object.keys(copy)).toEqual(['__proto__'])
})
