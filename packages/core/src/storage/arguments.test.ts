import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkId, fromCursor, MAX_ID_BYTES, toCursor, toJson, toPage } from './arguments.ts'

const refused = expect.objectContaining({ code: 'STORAGE_INPUT_INVALID' })

describe('an id', () => {
  test('is 1 to 512 bytes of UTF-8, returned unchanged', () => {
    for (const id of [
      'a',
      ' ',
      'é'.repeat(256),
      '😀'.repeat(128),
      'x'.repeat(512),
      "'; DROP TABLE x; --",
      'e\u0301',
    ]) {
      expect(checkId('id', id)).toBe(id)
    }
  })

  test('is refused if it is empty, too long, not a string, or has a lone surrogate', () => {
    const wrong = [
      '',
      'x'.repeat(513),
      'é'.repeat(257),
      '東'.repeat(171),
      'a\0',
      '\ud800',
      'a\udc00b',
      7,
      null,
      undefined,
      {},
    ]
    for (const id of wrong) expect(() => checkId('threadId', id)).toThrow(refused)
  })

  test('is measured in bytes, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }), (id) => {
        const fits = new TextEncoder().encode(id).length <= MAX_ID_BYTES && !id.includes('\0')
        if (fits) expect(checkId('id', id)).toBe(id)
        else expect(() => checkId('id', id)).toThrow(refused)
      }),
    )
  })

  test('is named in the error, and its value is not shown', () => {
    expect(() => checkId('threadId', `secret${'x'.repeat(600)}`)).toThrow(
      /^threadId is longer than 512 bytes/,
    )
  })
})

describe('a cursor', () => {
  test('encodes its position', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (place) => {
        expect(fromCursor(toCursor(place))).toBe(place)
      }),
    )
  })

  test('that is invalid is refused', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^c[0-9a-z]{1,11}$/.test(text))
        expect(() => fromCursor(text)).toThrow(refused)
      }),
    )
    // Beyond the safe integers.
    expect(() => fromCursor(`c${'z'.repeat(11)}`)).toThrow(refused)
  })
})

test('a page has a cursor only if there is a next page', () => {
  const options = { limit: 2, item: (row: number) => row * 10, place: (row: number) => row }
  expect(toPage([], options)).toEqual({ items: [] })
  expect(toPage([1, 2], options)).toEqual({ items: [10, 20] })
  expect(toPage([1, 2, 3], options)).toEqual({ items: [10, 20], nextCursor: toCursor(2) })
})

test('a value that is not JSON is refused with its name, and the cause if there is one', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  let deep: unknown = 0
  for (let depth = 0; depth < 200_000; depth++) deep = [deep]
  for (const value of [cycle, 1n, { big: 1n }, undefined, () => 0, Symbol('x'), deep]) {
    expect(() => toJson('metadata', value)).toThrow(refused)
  }
  expect(toJson('metadata', { half: '\ud800' })).toBe('{"half":"\\ud800"}')
})
