import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Scanner } from '../scanner/scanner.ts'
import { JsonText } from './json-text.ts'
import type { TextEdits } from './text-edits.ts'

const scanner = new Scanner([
  { type: 'word', pattern: /secret/ },
  { type: 'number', pattern: /(?<![\d.+-])\d{7}(?![\d.eE])/ },
  { type: 'broken', pattern: /a\nb/ },
])

/** With what JSON has to escape. */
const replacement = '"\\'

interface Read {
  out: string
  found: string[]
  /** The texts that were scanned, with the names they were scanned by. */
  texts: [string, string | undefined][]
}

/** What becomes of a text that is edited as it comes. */
class Edited implements TextEdits {
  out = ''
  #text = ''
  #place = 0

  /** The next of the text. */
  take(piece: string): string {
    this.#text += piece
    return piece
  }

  pass(units: number): void {
    this.out += this.#text.slice(this.#place, this.#place + units)
    this.#place += units
  }

  insert(text: string): void {
    this.out += text
  }

  skip(units: number): void {
    this.#place += units
  }
}

function read(pieces: readonly string[]): Read {
  const found: string[] = []
  const texts: [string, string | undefined][] = []
  const edits = new Edited()
  const json = new JsonText({
    edits,
    open(sink, name) {
      const scan = scanner.open(sink)
      const text: [string, string | undefined] = ['', name]
      texts.push(text)
      return {
        push(piece) {
          text[0] += piece
          scan.push(piece)
        },
        end: () => scan.end(),
      }
    },
    match: (_, value) => {
      found.push(value)
    },
    replacement: () => replacement,
  })
  for (const piece of pieces) json.push(edits.take(piece))
  json.end()
  return { out: edits.out, found, texts }
}

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

/** What is in strings, and what stands between them, by itself. */
const stringsOf = ({ texts }: Pick<Read, 'texts'>) =>
  texts.filter(([text]) => !/^[\s[\]{}:,\d.eE+-]*$/.test(text))

describe('a string', () => {
  test.each([
    ['as it stands', '{"a":"my secret"}', { a: 'my "\\' }],
    ['in a list', '["secret", "b"]', ['"\\', 'b']],
    ['that is a name', '{"secret":1}', { '"\\': 1 }],
    ['with an escaped character', '"\\u0073ecr\\u0065t"', '"\\'],
    ['with upper-case digits', '"\\u0073ecr\\u0065t \\u00E9 \\u00e9"', '"\\ é é'],
    ['over an escape', '["a\\nb"]', ['"\\']],
    ['behind escapes', '"\\\\ \\" \\/ \\b \\f \\r \\t secret"', '\\ " / \b \f \r \t "\\'],
    ['behind a character outside of the first plane', '"\\ud83d\\ude00 😀 secret"', '😀 😀 "\\'],
  ])('is found %s', (_, json, expected) => {
    for (const pieces of [[json], json.split('')]) expect(JSON.parse(read(pieces).out)).toEqual(expected)
  })

  test('keeps its spelling where nothing is found', () => {
    const json = ' { "a\\u0062" : "\\/ \\u00e9 é" , "n" : [ 1e5, -0.10, true ] } '
    for (const pieces of [[json], json.split('')]) expect(read(pieces).out).toBe(json)
  })

  test('keeps the spelling of what stands around a finding', () => {
    expect(read(['"\\u0041 secret \\/ \\u0042"']).out).toBe('"\\u0041 \\"\\\\ \\/ \\u0042"')
  })

  test('ends at its quotation mark: what is cut over two is not found', () => {
    expect(read(['["sec","ret"]']).found).toEqual([])
  })

  test('goes out as soon as nothing can be found in it', () => {
    const edits = new Edited()
    const json = new JsonText({
      edits,
      open: (sink) => scanner.open(sink),
      match: () => {},
      replacement: () => replacement,
    })
    json.push(edits.take('{"a":"not s'))
    expect(edits.out).toBe('{"a":"not ')
    json.push(edits.take('o"'))
    expect(edits.out).toBe('{"a":"not so"')
    json.push(edits.take('}'))
    expect(edits.out).toBe('{"a":"not so"}')
  })
})

describe('what stands between strings', () => {
  test('is scanned too, and is replaced by a string', () => {
    const json = '{"a":5551234,"b":[5551234,7]}'
    for (const pieces of [[json], json.split('')]) {
      expect(JSON.parse(read(pieces).out)).toEqual({ a: '"\\', b: ['"\\', 7] })
    }
  })

  test.each([
    '{"":[5551234]}',
    '{"a":{"":5551234}}',
    '[[5551234]]',
    '5551234',
    '[{"a":1},5551234]',
    '[[],5551234]',
  ])('is one text however it is cut: %s', (json) => {
    for (let place = 0; place <= json.length; place++) {
      expect(read([json.slice(0, place), json.slice(place)]).found).toEqual(['5551234'])
    }
  })
})

describe('what is no JSON', () => {
  test.each([
    ['a string that does not end', '{"a":"secret', '{"a":"\\"\\\\'],
    ['prose', 'the secret', 'the "\\"\\\\"'],
    ['an escape that is none', '"\\x secret \\u00zz secret"', '"\\x \\"\\\\ \\u00zz \\"\\\\"'],
    ['an escape that does not end', '"secret \\u00', '"\\"\\\\ \\u00'],
    ['a backslash at the end', '"secret \\', '"\\"\\\\ \\'],
    ['a backslash outside of strings', '\\ secret', '\\ "\\"\\\\"'],
    ['brackets that close nothing', ']}"secret"', ']}"\\"\\\\"'],
  ])('is scanned all the same: %s', (_, text, expected) => {
    for (const pieces of [[text], text.split('')]) expect(read(pieces).out).toBe(expected)
  })
})

describe('the name a text is scanned by', () => {
  test.each<[string, [string, string | undefined][]]>([
    [
      '{"a":"x"}',
      [
        ['a', undefined],
        ['x', 'a'],
      ],
    ],
    [
      '{"a":{"b":"x"},"c":"y"}',
      [
        ['a', undefined],
        ['b', undefined],
        ['x', 'a\nb'],
        ['c', undefined],
        ['y', 'c'],
      ],
    ],
    [
      '{"a":["x",{"b":"y"},"z"]}',
      [
        ['a', undefined],
        ['x', 'a'],
        ['b', undefined],
        ['y', 'a\nb'],
        ['z', 'a'],
      ],
    ],
    [
      '{"a":{"b":["x"]},"c":["y"]}',
      [
        ['a', undefined],
        ['b', undefined],
        ['x', 'a\nb'],
        ['c', undefined],
        ['y', 'c'],
      ],
    ],
    [
      '["x",["y"],{"a":"z"}]',
      [
        ['x', undefined],
        ['y', undefined],
        ['a', undefined],
        ['z', 'a'],
      ],
    ],
    [
      '{"a":"x","b":1,"c":"y"}',
      [
        ['a', undefined],
        ['x', 'a'],
        ['b', undefined],
        ['c', undefined],
        ['y', 'c'],
      ],
    ],
  ])('is that of its property: %s', (json, expected) => {
    for (const pieces of [[json], json.split('')]) expect(stringsOf(read(pieces))).toEqual(expected)
  })

  test('of a number is that of its property too, also where it is in a list', () => {
    const numbers = read(['{"a":5551234,"b":[5551234],"c":1}']).texts.filter(([text]) => /5551234/.test(text))
    expect(numbers).toEqual([
      [':5551234,', 'a'],
      [':[5551234],', 'b'],
    ])
  })

  test('is kept up to 64 characters, however the name is cut', () => {
    const json = `{"${'n'.repeat(100)}":"x"}`
    for (const pieces of [[json], json.split('')]) {
      const name = read(pieces).texts.find(([text]) => text === 'x')?.[1]
      expect(name).toMatch(/^n{64,}$/)
    }
  })

  test('is known again behind what is nested too deeply to know it', () => {
    const deep = `${'['.repeat(3_000)}"x"${']'.repeat(3_000)}`
    const { texts } = read([`{"a":${deep},"b":"y"}`])
    expect(texts.at(-2)).toEqual(['y', 'b'])
  })
})

test('however it is cut, the same is found and goes out', () => {
  const text = fc.constantFrom('secret', 'sec', 'a\nb', '5551234', 'é', '😀', '"', '\\', '', 'name')
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(5_551_234, 7, null, true, -5_551_234, 1.5),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  const json = fc.tuple(value, fc.nat(2)).map(([value, indent]) => JSON.stringify(value, null, indent))
  fc.assert(
    fc.property(json, fc.array(fc.nat(200), { maxLength: 6 }), (json, places) => {
      const whole = read([json])
      for (const pieces of [cut(json, places), json.split('')]) {
        const { out, found, texts } = read(pieces)
        expect({ out, found, strings: stringsOf({ texts }) }).toEqual({
          out: whole.out,
          found: whole.found,
          strings: stringsOf(whole),
        })
      }
      expect(() => JSON.parse(whole.out)).not.toThrow()
      if (whole.found.length === 0) expect(whole.out).toBe(json)
    }),
  )
})
