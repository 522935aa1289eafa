import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textSink } from '../../test/text-sink.ts'
import type { Recognizer } from './recognizer.ts'
import { Scanner } from './scanner.ts'

const usual: Recognizer[] = [
  {
    type: 'email',
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,6}[a-z]{2,24}(?![\w-])/i,
  },
  {
    type: 'card',
    pattern: /(?<![\d.-])\d(?:[ -]?\d){11,18}(?![\d-])/,
    score: (value) => (value.endsWith('7') ? 1 : 0),
  },
  { type: 'ip', pattern: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/ },
  { type: 'pem', pattern: /-----BEGIN [A-Z ]{1,30}-----/, rest: { until: /-----END [A-Z ]{1,30}-----/ } },
  { type: 'jwt', pattern: /(?<!\w)eyJ[\w-]{10}/, rest: { while: /[\w.-]/ } },
]

const prose =
  'The miller opens the gate at 6:30, and the water (cold in May) turns the wheel; it doesn’t stop before evening. '

describe('the machine that scans share', () => {
  test('serves texts side by side while it grows', () => {
    // Over a hundred classes of characters: its tables are laid out anew more than once.
    const scanner = new Scanner(
      Array.from({ length: 120 }, (_, index) => {
        const letter = String.fromCodePoint(0x4e00 + index)
        return { type: letter, pattern: new RegExp(`${letter}[a-z]{2,4}${letter}`) }
      }),
    )
    const texts = Array.from({ length: 120 }, (_, index) => {
      const letter = String.fromCodePoint(0x4e00 + index)
      return `x${letter}abc${letter} ${letter}abcde${letter}`
    })
    const out = texts.map(() => '')
    const scans = texts.map((text, index) =>
      scanner.open(
        textSink(text, {
          text: (piece) => {
            out[index] += piece
          },
          match: ({ type }) => {
            out[index] += `<${type}>`
          },
        }),
      ),
    )
    for (let place = 0; place < 20; place++) {
      for (const [index, scan] of scans.entries()) scan.push((texts[index] as string)[place] ?? '')
    }
    for (const scan of scans) scan.end()
    expect(out).toEqual(texts.map((text) => text.replace(/^x(.)abc./u, 'x<$1>')))
  })

  test('starts anew where a text needs more states than it keeps', () => {
    const scanner = new Scanner([{ type: 'x', pattern: /(?<![abc])[ab]{0,40}a[ab]{18}c/ }])
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 40, maxLength: 59 }), {
      minLength: 100,
      maxLength: 100,
    })
    fc.assert(
      fc.property(words, (words) => {
        const text = words.map((word) => `${word}c `).join('')
        const expected = [...text.matchAll(/(?<![abc])[ab]{0,40}a[ab]{18}c/g)].map(({ index }) => index)
        expect(scanner.detect(text).map(({ start }) => start)).toEqual(expected)
      }),
      { numRuns: 20 },
    )
    expect(scanner.machine.automaton.generation).toBeGreaterThan(1)
  })
})

test('on ordinary prose, the end that is held back is short', () => {
  const scanner = new Scanner(usual)
  const scan = scanner.open({ pass: () => {}, match: () => {}, cover: () => {} })
  const held: number[] = []
  const text = prose.repeat(50)
  for (let place = 0; place < text.length; place += 3) {
    scan.push(text.slice(place, place + 3))
    held.push(scan.held)
  }
  held.sort((a, b) => a - b)
  expect(held[held.length >> 1]).toBeLessThanOrEqual(5)
  expect(held.at(-1)).toBeLessThanOrEqual(20)
})
