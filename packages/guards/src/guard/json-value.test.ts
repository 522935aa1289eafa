import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listsIn, rewriteJson, rewriteTexts, textsIn } from './json-value.ts'

const shout = (text: string) => text.replaceAll('secret', 'SECRET')

/** Texts as they are read, with the names they are read by. */
function readings(value: unknown, options?: { numbers?: boolean }): [string, string | undefined][] {
  const read: [string, string | undefined][] = []
  rewriteJson(
    value,
    (text, name) => {
      read.push([text, name])
      return text
    },
    options,
  )
  return read
}

describe('a value that is rewritten', () => {
  test('has every string in it rewritten, names included, and keeps its form', () => {
    const value = { a: 'secret', secret: [1, null, true, { b: ['a secret', 1.5] }] }
    expect(rewriteJson(value, shout)).toEqual({
      a: 'SECRET',
      SECRET: [1, null, true, { b: ['a SECRET', 1.5] }],
    })
    expect(rewriteJson('secret', shout)).toBe('SECRET')
    expect(value.a).toBe('secret')
  })

  test.each([
    [null],
    [undefined],
    [true],
    [12],
    ['text'],
    [[]],
    [{}],
    [{ a: [{ b: 'c' }] }],
    [new Uint8Array(2)],
  ])('is the same value where nothing changes: %j', (value) => {
    expect(rewriteJson(value, (text) => text)).toBe(value)
  })

  test('leaves what did not change in it the same object', () => {
    const value = { list: [{ a: 'b' }], other: { c: 'secret' } }
    const rewritten = rewriteJson(value, shout) as typeof value
    expect(rewritten.list).toBe(value.list)
    expect(rewritten.other).toEqual({ c: 'SECRET' })
  })

  test('has names rewritten where the value is left, and the value where the name is', () => {
    expect(rewriteJson({ secret: 1 }, shout)).toEqual({ SECRET: 1 })
    expect(rewriteJson({ a: 'secret' }, shout)).toEqual({ a: 'SECRET' })
    expect(rewriteJson(['a', 'secret'], shout)).toEqual(['a', 'SECRET'])
    expect(rewriteJson(['secret', 'a'], shout)).toEqual(['SECRET', 'a'])
  })

  test('keeps a property that is named as no other may be', () => {
    const value = JSON.parse('{"__proto__":{"a":"secret"}}')
    expect(JSON.stringify(rewriteJson(value, shout))).toBe('{"__proto__":{"a":"SECRET"}}')
  })

  test('that is not JSON is what JSON makes of it, and itself where nothing in it changes', () => {
    const when = new Date(0)
    expect(rewriteJson({ when }, shout)).toEqual({ when })
    expect((rewriteJson({ when }, shout) as { when: Date }).when).toBe(when)
    expect(rewriteJson(when, () => 'once')).toBe('once')
    const url = new URL('https://example.com/secret')
    expect(rewriteJson([url], shout)).toEqual(['https://example.com/SECRET'])
    expect(rewriteJson({ toJSON: 'secret' }, shout)).toEqual({ toJSON: 'SECRET' })
  })

  test('may contain itself', () => {
    const circle: unknown[] = ['secret']
    circle.push(circle)
    expect(rewriteJson(circle, shout)).toEqual(['SECRET', circle])
  })

  test('may contain the same object in several places', () => {
    const shared = { a: 'secret' }
    expect(rewriteJson([shared, shared], shout)).toEqual([{ a: 'SECRET' }, { a: 'SECRET' }])
  })
})

describe('numbers', () => {
  const mask = (text: string) => (/^\d{7,}$/.test(text) ? '[number]' : text)

  test('of seven digits or more are rewritten as text', () => {
    expect(rewriteJson([5_551_234, 123_456, 12_345_678_901n], mask)).toEqual([
      '[number]',
      123_456,
      '[number]',
    ])
  })

  test('stay numbers where nothing changes', () => {
    const value = [5_551_234, 12_345_678_901n]
    expect(rewriteJson(value, (text) => text)).toBe(value)
  })

  test('with a fraction, and what is no number, are left alone', () => {
    expect(readings([5_551_234.5, Number.NaN, Number.POSITIVE_INFINITY, -1])).toEqual([])
  })

  test('are left alone where it is asked for', () => {
    expect(rewriteJson({ a: 5_551_234, b: 'secret' }, shout, { numbers: false })).toEqual({
      a: 5_551_234,
      b: 'SECRET',
    })
    expect(readings({ a: 5_551_234 }, { numbers: false })).toEqual([['a', undefined]])
  })
})

test('a text is read by the name of its property, behind that of the one around it', () => {
  expect(readings({ a: 'one', b: { c: ['two', { d: 'three' }], e: 5_551_234 }, '': { f: 'four' } })).toEqual([
    ['a', undefined],
    ['one', 'a'],
    ['b', undefined],
    ['c', undefined],
    ['two', 'b\nc'],
    ['d', undefined],
    ['three', 'c\nd'],
    ['e', undefined],
    ['5551234', 'b\ne'],
    ['', undefined],
    ['f', undefined],
    ['four', '\nf'],
  ])
})

test('every string of a value is read once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const strings = JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"/g) ?? []
      const read = readings(value, { numbers: false }).map(([text]) => JSON.stringify(text))
      expect(read.sort()).toEqual([...strings].sort())
    }),
  )
})

describe('the texts of a value', () => {
  const value = {
    title: 'one',
    items: ['two', { type: 'text', text: 'three' }, { type: 'text', text: 'four', alt: 'five' }],
    alone: ['six'],
    phone: 5550100123,
  }
  const read = textsIn(value)

  test('are read in order, names and long numbers among them', () => {
    expect(read.filter(({ text }) => text !== 'type').map(({ text }) => text)).toEqual([
      ...'title one items two text text three text text four alt five alone six phone 5550100123'.split(' '),
    ])
    expect(textsIn(value, { numbers: false }).map(({ text }) => text)).not.toContain('5550100123')
  })

  test('go back to where they were', () => {
    const texts = read.map(({ text }) => (/^(?:two|four|5550100123)$/.test(text) ? `<${text}>` : text))
    expect(rewriteTexts(value, texts)).toEqual({
      ...value,
      items: ['<two>', { type: 'text', text: 'three' }, { type: 'text', text: '<four>', alt: 'five' }],
      phone: '<5550100123>',
    })
    expect(rewriteTexts(5550100123, [], { numbers: false })).toBe(5550100123)
  })

  test('are known by the list they are items of, where it has several', () => {
    const lists = listsIn(read).map((places) => places.map((place) => read[place]?.text))
    expect(lists).toEqual([['two', 'three', 'four']])
    expect(listsIn(textsIn({ a: 'b' }))).toEqual([])
    expect(listsIn(textsIn([['a', 'b'], ['c', 'd'], 'e']))).toHaveLength(2)
  })
})
