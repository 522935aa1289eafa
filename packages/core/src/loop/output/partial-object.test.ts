import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PartialObject } from './partial-object.ts'

/** Feeds the pieces and returns what came out of each, copied, since the value grows in place. */
function feed(pieces: readonly string[]): unknown[] {
  const object = new PartialObject()
  return pieces.map((piece) => {
    const value = object.append(piece)
    return value === undefined ? undefined : structuredClone(value)
  })
}

/** Cuts a text at the given places, also within characters that take two code units. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length))
}

describe('a value that arrives in pieces', () => {
  test('grows with each piece', () => {
    expect(feed(['{"na', 'me":"An', 'na","tags":[', '1', '2,tr', 'ue], "x":', ' null', '}'])).toEqual([
      {},
      { name: 'An' },
      { name: 'Anna', tags: [] },
      undefined,
      { name: 'Anna', tags: [12] },
      { name: 'Anna', tags: [12, true] },
      undefined,
      { name: 'Anna', tags: [12, true], x: null },
    ])
  })

  test('shows the strings of a list as they grow, each at its own index', () => {
    expect(feed(['["a', 'b"', ',"c', 'd"]'])).toEqual([['a'], ['ab'], ['ab', 'c'], ['ab', 'cd']])
  })

  test('is the same object in every piece', () => {
    const object = new PartialObject()
    expect(object.append('{"a":1,')).toBe(object.append('"b":2,'))
  })

  test('equals the result of JSON.parse, however it is split', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(undefined, 2),
        (value, places, indent) => {
          const json = `${JSON.stringify(value, undefined, indent)}\n`
          const object = new PartialObject()
          let last: unknown
          for (const piece of cut(json, places)) last = object.append(piece) ?? last
          expect(last ?? null).toEqual(JSON.parse(json))
        },
      ),
    )
  })

  test('equals the result of JSON.parse if every character is escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(), { maxLength: 8 }), (value, places) => {
        const escaped = [...Array(value.length).keys()]
          .map((index) => `\\u${value.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join('')
        const json = `{"${escaped}":["${escaped}"]}`
        const object = new PartialObject()
        let last: unknown
        for (const piece of cut(json, places)) last = object.append(piece) ?? last
        expect(last).toEqual(JSON.parse(json))
      }),
    )
  })

  test('never throws, for any input', () => {
    const garbage = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom(...'{}[]",:\\ue1-. tfn0'.split('')), { maxLength: 40 })
        .map((all) => all.join('')),
    )
    fc.assert(
      fc.property(fc.array(garbage, { maxLength: 6 }), (pieces) => {
        feed(pieces)
      }),
    )
  })

  test('stops changing when brackets are opened without end', () => {
    const object = new PartialObject()
    let depth = 0
    for (let value = object.append('['.repeat(5_000)); Array.isArray(value); value = value[0]) depth++
    expect(depth).toBe(1_000)
    expect(object.append('[1')).toBeUndefined()
  })

  test('stops changing when it is invalid', () => {
    expect(feed(['{"a":1,', '?', '"b":2}'])).toEqual([{ a: 1 }, undefined, undefined])
  })

  test('begins behind sentences, fences and brackets that are not JSON', () => {
    expect(feed(['Sure [see {x}] ', '{"a":1', '}'])).toEqual([[], {}, { a: 1 }])
    expect(feed(['```json\n', '["a', '"]\n```'])).toEqual([undefined, ['a'], ['a']])
    expect(feed(['\ufeff', '{"a":1}'])).toEqual([undefined, { a: 1 }])
  })

  test('begins with the bracket of its type', () => {
    const object = new PartialObject('object')
    expect(object.append('"As [1] says": [{"b":2}] {"a":1}')).toEqual({ a: 1 })
    const list = new PartialObject(['array', 'null'])
    expect(list.append('{"a":[1]} [2')).toEqual([])
  })

  test('ignores what follows its end', () => {
    expect(feed(['{"a":1}', ' {"b":2}'])).toEqual([{ a: 1 }, undefined])
  })

  test('treats __proto__ like any other key', () => {
    const [value] = feed(['{"__proto__":{"admin":true}}'])
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect((value as { admin?: boolean }).admin).toBeUndefined()
  })
})
