import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyData } from './copy-data.ts'

/** All objects in a value. */
function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const inner of Object.values(value)) objectsIn(inner, found)
  return found
}

describe('a copy of data', () => {
  test('is equal and shares no object with it', () => {
    const anything = fc.anything({ withDate: true, withNullPrototype: true })
    fc.assert(
      fc.property(anything, (value) => {
        const copy = copyData(value)
        expect(copy).toStrictEqual(value)
        const given = objectsIn(value)
        for (const object of objectsIn(copy)) expect(given.has(object)).toBe(false)
      }),
    )
  })

  test('preserves cycles and shared references', () => {
    const shared = { a: [1] }
    const data: Record<string, unknown> = { one: shared, other: [shared] }
    data.self = data
    const copy = copyData(data) as typeof data & { other: unknown[] }
    expect(copy.self).toBe(copy)
    expect(copy.one).toBe(copy.other[0])
    expect(copy.one).not.toBe(shared)
  })

  test('may be nested to any depth', () => {
    let data: unknown[] = ['x']
    for (let level = 0; level < 100_000; level++) data = [data]
    let copy = copyData(data) as unknown[]
    for (let level = 0; level < 100_000; level++) copy = copy[0] as unknown[]
    expect(copy).toEqual(['x'])
  })

  test('contains copies of dates, URLs, bytes, maps and sets', () => {
    const data = {
      at: new Date(1),
      url: new URL('https://example.com/a'),
      bytes: new Uint8Array([1]),
      buffer: new Uint8Array([1]).buffer,
      map: new Map([['a', { b: 1 }]]),
      set: new Set([1]),
    }
    const copy = copyData(data)
    expect(copy).toEqual(data)
    for (const [key, value] of Object.entries(data)) expect(copy[key as keyof typeof data]).not.toBe(value)
    expect(copy.map.get('a')).not.toBe(data.map.get('a'))
  })

  test('shares functions and instances of classes', () => {
    class Own {
      #secret = 1
      get secret(): number {
        return this.#secret
      }
    }
    const data = { own: new Own(), run: () => 1, map: new Map([['run', () => 1]]) }
    const copy = copyData(data)
    expect(copy).not.toBe(data)
    expect([copy.own.secret, copy.own, copy.run, copy.map]).toEqual([1, data.own, data.run, data.map])
  })

  test('keeps a property named __proto__ one', () => {
    const data = JSON.parse('{"__proto__":{"admin":true},"a":{"__proto__":[1]}}')
    const copy = copyData(data)
    expect(JSON.stringify(copy)).toBe(JSON.stringify(data))
    expect(copy.admin).toBeUndefined()
    expect(Object.getOwnPropertyDescriptor(copy, '__proto__')?.value).not.toBe(
      Object.getOwnPropertyDescriptor(data, '__proto__')?.value,
    )
  })
})
