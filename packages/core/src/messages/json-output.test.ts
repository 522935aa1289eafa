import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NotJson, outputJson, payloadJson, toJson } from './json-output.ts'

function whyNot(value: unknown): string {
  try {
    toJson(value)
  } catch (error) {
    expect(error).toBeInstanceOf(NotJson)
    return (error as NotJson).message
  }
  throw new Error('It was taken for JSON.')
}

/** What takes the place of each value is what JSON has for it, where it has something. */
const forms: [what: string, value: unknown, json: unknown][] = [
  ['nothing', undefined, null],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a date that is none', new Date(Number.NaN), null],
  ['a URL', new URL('https://example.com/a'), 'https://example.com/a'],
  ['a big integer', 2n ** 70n, '1180591620717411303424'],
  ['numbers that are not finite', [Number.NaN, Number.POSITIVE_INFINITY, 1], [null, null, 1]],
  ['properties that are nothing', { a: undefined, b: () => 1, c: Symbol('c'), d: 1 }, { d: 1 }],
  ['items that are nothing', [undefined, () => 1, Symbol('c')], [null, null, null]],
  ['a list with a gap', Array.from({ length: 2 }), [null, null]],
  ['properties by symbol', { [Symbol('a')]: 1 }, {}],
  [
    'an object of a class',
    new (class Row {
      id = 1
      #secret = 2
      get double() {
        return this.#secret
      }
    })(),
    { id: 1 },
  ],
  ['an object with toJSON', { toJSON: (key: string) => ({ key }) }, { key: '' }],
  ['toJSON further in', { at: [{ toJSON: (key: string) => key }] }, { at: ['0'] }],
  [
    'an error',
    Object.assign(new TypeError('No.'), { code: 7 }),
    { name: 'TypeError', message: 'No.', code: 7 },
  ],
  ['boxed values', [new String('a'), new Number(1), new Boolean(false)], ['a', 1, false]],
  [
    'a getter',
    {
      get a() {
        return 1
      },
    },
    { a: 1 },
  ],
  ['no prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['the same object twice', [forked(), 1], [{ a: { x: 1 }, b: { x: 1 } }, 1]],
  ['bytes with toJSON', Buffer.from('a'), { type: 'Buffer', data: [97] }],
]

function forked(): unknown {
  const x = { x: 1 }
  return { a: x, b: x }
}

describe('an output becomes JSON', () => {
  test.each(forms)('%s', (_, value, json) => {
    expect(toJson(value)).toEqual(json)
    expect(JSON.stringify(toJson(value))).toBe(JSON.stringify(json))
  })

  test.each([
    ['a Map', { items: [1, 2, 3, new Map([['a', 1]])] }, 'output.items[3] is an object of type Map'],
    ['a Set', new Set(['a']), 'output is an object of type Set'],
    ['bytes', { file: new Uint8Array(3) }, 'output.file is an object of type Uint8Array'],
    ['a buffer', { file: new ArrayBuffer(3) }, 'output.file is an object of type ArrayBuffer'],
    ['a function', () => 1, 'output is a function'],
    ['a promise', { a: Promise.resolve() }, 'output.a is an object of type Promise'],
    ['an expression', [/a/], 'output[0] is an object of type RegExp'],
    [
      'an object of private fields',
      [
        new (class Secret {
          #a = 1
          get a() {
            return this.#a
          }
        })(),
      ],
      'output[0] is an object of type Secret',
    ],
    ['an iterator', { a: [1].values() }, 'output.a is an object of type'],
    ['a Map with a property', Object.assign(new Map(), { a: 1 }), 'output is an object of type Map'],
    [
      'a getter that throws',
      {
        a: {
          get b() {
            throw new Error('Gone.')
          },
        },
      },
      'output.a.b cannot be read: Gone.',
    ],
    [
      'toJSON that throws',
      {
        a: {
          toJSON() {
            throw new Error('Gone.')
          },
        },
      },
      'output.a cannot be read: Gone.',
    ],
  ])('but not %s', (_, value, message) => {
    expect(whyNot(value)).toContain(message)
  })

  test('but not a cycle', () => {
    const parent: Record<string, unknown> = { list: Array.from({ length: 1_000 }, (_, index) => ({ index })) }
    parent.child = [{ parent }]
    expect(whyNot({ parent })).toBe('output.parent.child[0].parent is output.parent again, a cycle')
    const list: unknown[] = []
    list.push(list)
    expect(whyNot(list)).toBe('output[0] is output again, a cycle')
    const self = { toJSON: () => ({ self }) }
    expect(whyNot(self)).toContain('again, a cycle')
    const fresh = { toJSON: () => ({ next: { ...fresh } }) }
    expect(whyNot(fresh)).toContain('1000 levels')
  })

  test('at any nesting depth, without overflowing the stack', () => {
    let value: unknown = 'x'
    for (let level = 0; level < 100_000; level++) value = level % 2 ? [value] : { value }
    expect(whyNot(value)).toBe('output is nested more than 1000 levels deep')
    let allowed: unknown = 'x'
    for (let level = 0; level < 1_000; level++) allowed = [allowed]
    expect(JSON.stringify(toJson(allowed))).toBe(JSON.stringify(allowed))
  })

  test('keeps a property named __proto__ one', () => {
    const json = toJson(JSON.parse('{"__proto__":{"admin":true},"a":1}'))
    expect(JSON.stringify(json)).toBe('{"__proto__":{"admin":true},"a":1}')
    expect((json as { admin?: boolean }).admin).toBeUndefined()
  })

  test('is what JSON.stringify writes, for all values that it accepts, and shares no object', () => {
    const anything = fc.anything({ withDate: true, withNullPrototype: true, withBoxedValues: true })
    fc.assert(
      fc.property(anything, (value) => {
        const json = toJson(value)
        expect(JSON.stringify(json)).toBe(JSON.stringify(value) ?? 'null')
        expect(JSON.stringify(toJson(json))).toBe(JSON.stringify(json))
        if (typeof json === 'object' && json !== null) expect(json).not.toBe(value)
      }),
    )
  })

  test('is JSON or an error with the path, for any value', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
      withSparseArray: false,
    })
    fc.assert(
      fc.property(fc.oneof(anything, fc.array(anything), fc.dictionary(fc.string(), anything)), (value) => {
        let json: unknown
        try {
          json = toJson(value)
        } catch (error) {
          expect((error as Error).message).toMatch(/^output\S* /)
          return
        }
        expect(JSON.parse(JSON.stringify(json))).toEqual(json)
      }),
    )
  })

  test('is read once', () => {
    let reads = 0
    const value = {
      get answer() {
        return ++reads
      },
    }
    const json = toJson(value)
    expect([json, json]).toEqual([{ answer: 1 }, { answer: 1 }])
  })
})

test('bytes of files in an output of content become base64', () => {
  const file = (data: unknown) => ({ type: 'file', mediaType: 'image/png', data: { type: 'data', data } })
  const output = {
    type: 'content',
    value: [
      { type: 'text', text: 'a' },
      file(new Uint8Array([1, 2])),
      file(new Uint8Array([3]).buffer),
      file('AQI='),
    ],
  }
  expect(outputJson(output)).toEqual({
    type: 'content',
    value: [{ type: 'text', text: 'a' }, file('AQI='), file('Aw=='), file('AQI=')],
  })
})

test('an undefined payload stays undefined, and one that is not JSON is an error', () => {
  expect(payloadJson(undefined)).toBeUndefined()
  expect(payloadJson({ a: new Date(0) })).toEqual({ a: '1970-01-01T00:00:00.000Z' })
  expect(() => payloadJson({ a: new Map() })).toThrow(/payload\.a is an object of type Map/)
})
