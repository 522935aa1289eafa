import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textSink } from '../../test/text-sink.ts'
import type { Detection, Recognizer } from './recognizer.ts'
import { Scanner } from './scanner.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 20_000 : 1_500

/** What a scan of pieces puts out, covered text in brackets. */
function scanPieces(
  scanner: Scanner,
  pieces: readonly string[],
): { out: string; found: Detection[]; most: number } {
  let out = ''
  let most = 0
  const found: Detection[] = []
  const scan = scanner.open(
    textSink(pieces.join(''), {
      text: (piece) => {
        out += piece
      },
      match: (detection, value, { continues }) => {
        out += `<${detection.type}${continues ? '+' : ''}:${value}>`
        found.push(detection)
      },
      covered: (piece) => {
        out += piece.toUpperCase()
      },
    }),
  )
  for (const piece of pieces) {
    scan.push(piece)
    most = Math.max(most, scan.held)
  }
  scan.end()
  expect(scan.held).toBe(0)
  return { out, found, most }
}

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

const sample: Recognizer[] = [
  { type: 'email', pattern: /(?<![\w.])[\w.]{1,8}@[a-z]{1,6}\.[a-z]{2,3}(?![\w])/ },
  {
    type: 'digits',
    pattern: /\b\d(?:[ -]?\d){3,7}\b/,
    score: (candidate) => (/4/.test(candidate) ? 0.8 : 0),
  },
  { type: 'short', pattern: /\d{2}/, score: 0.3, context: ['pin code', 'a.b'] },
  { type: 'word', pattern: /ab(?:ab){0,2}c?/ },
  { type: 'emoji', pattern: /[😀😁]\p{L}?/u },
  { type: 'jwt', pattern: /ey[ab]{2}\./, rest: { while: /[ab.😀]/u } },
  { type: 'pem', pattern: /--b/, rest: { until: /--a{1,2}/ } },
  {
    type: 'lines',
    pattern: /--c/,
    rest: { repeat: /c|[ .]{1,2}(?:c{2}|c(?=[.b]|$))/, last: / {0,2}--d|\.b\.--/ },
  },
  { type: 'capped', pattern: /==/, rest: { until: /\./, maxLength: 5 } },
  {
    type: 'mirror',
    starts: /[ab]/,
    maxLength: 6,
    match: (ahead) => (ahead.length >= 4 && ahead[0] === ahead[3] && ahead[1] === ahead[2] ? 4 : 0),
    score: (_, before) => (before.endsWith(' ') ? 1 : 0),
  },
]

const text = fc
  .array(
    fc.constantFrom(
      ...'aab b@..c 144 - 5 😀é=',
      'a@b.co',
      '4111 11',
      'eyab.',
      '--b',
      '--a',
      '--c',
      '--d',
      'c.cc',
      '.b.--',
      '==',
      'pin code ',
      '\ud83d',
      '\ude00',
      'abab',
      ' abba',
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''))
const places = fc.array(fc.nat(200), { maxLength: 12 })

test('of a match with a part only the part is the finding, however the text is cut', () => {
  const scanner = new Scanner([
    { type: 'pin', pattern: /pin=\d{4}(?:\.(?!\w)|(?![\w.]))/, part: () => [4, 8] },
    { type: 'word', pattern: /\bin a\b/ },
  ])
  const text = 'in a pin=1234. pin=5678, pin=9'
  for (const pieces of [[text], [...text], cut(text, [7, 11, 12, 17])]) {
    const { out } = scanPieces(scanner, pieces)
    expect(out).toBe('<word:in a>IN A pin=<pin:1234>1234. pin=<pin:5678>5678, pin=9')
  }
})

describe('a scan', () => {
  test('finds the same however the text is cut', () => {
    const scanner = new Scanner(sample)
    fc.assert(
      fc.property(text, places, (text, places) => {
        const whole = scanPieces(scanner, [text])
        expect(scanPieces(scanner, cut(text, places))).toMatchObject({ out: whole.out, found: whole.found })
        expect(scanPieces(scanner, text.split(''))).toMatchObject({ out: whole.out, found: whole.found })
      }),
      { numRuns: runs },
    )
  })

  test('passes every character on once, in order', () => {
    const scanner = new Scanner(sample)
    fc.assert(
      fc.property(text, places, (text, places) => {
        let out = ''
        const take = (piece: string): void => {
          out += piece
        }
        const scan = scanner.open(textSink(text, { text: take, covered: take }))
        for (const piece of cut(text, places)) {
          scan.push(piece)
          expect(out.length + scan.held).toBeGreaterThanOrEqual(out.length)
        }
        scan.end()
        expect(out).toBe(text)
      }),
      { numRuns: runs },
    )
  })

  test('holds no more than the longest match', () => {
    const scanner = new Scanner(sample)
    fc.assert(
      fc.property(text, (text) => {
        expect(scanPieces(scanner, text.split('')).most).toBeLessThanOrEqual(scanner.maxLength)
      }),
      { numRuns: runs },
    )
  })

  test.each([
    ['\\u{2}a', 'uua', [0, 3]],
    ['\\u{f}*a', 'u{f}}a', [0, 6]],
  ])('without the flag u, braces in %s are no code point', (source, text, place) => {
    const scanner = new Scanner([{ type: 'x', pattern: new RegExp(source), maxLength: 12 }])
    expect(scanner.detect(text).map(({ start, end }) => [start, end])).toEqual([place])
    expect(scanner.detect('a\u{f}')).toEqual([])
  })

  test('a backslash before a c that is no control character stands for itself', () => {
    const scanner = new Scanner([{ type: 'x', pattern: /a\c?/ }])
    const places = (text: string) => scanner.detect(text).map(({ start, end }) => [start, end])
    expect(places('a\\c')).toEqual([[0, 3]])
    expect(places('a\\')).toEqual([[0, 2]])
    expect(places('ab ac')).toEqual([])
  })

  test.each([
    /a(?:b|bc){1,3}c?/,
    /(?<!a)b{1,3}(?!c)/,
    /\bab?\b|c{2}\B/,
    /(?<=[ab])[^a]{2,4}$/m,
    /^.a|(?=a|$)[abc]{0,3}b/s,
    /(?:a{0,2}b){2}(?!b|$)/,
    /[^\u{1f600}]😀?c/u,
    /A[B-C]+/i,
    /(?!c)(?<=[ab])[ab]c?/,
    /b|(?:(?!b)){2}[a-c]{0,2}(?<=[ab])a/,
    /(?=a)\Ba(?:b(?!c)|$)\B/,
  ])('finds what %s matches, leftmost and longest', (pattern) => {
    const maxLength = 12
    const scanner = new Scanner([{ type: 'x', pattern, maxLength }])
    fc.assert(
      fc.property(
        fc
          .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '😀'), { maxLength: 14 })
          .map((all) => all.join('')),
        places,
        (text, places) => {
          const expected = leftmostLongest(pattern, text, maxLength)
          expect(scanPieces(scanner, cut(text, places)).found.map(({ start, end }) => [start, end])).toEqual(
            expected,
          )
        },
      ),
      { numRuns: runs / 5 },
    )
  })

  test('finds the longest of several patterns at each place, none within a match of its own', () => {
    // Of those that end at the same place, one with a condition after it comes first.
    const patterns = [/\b[a-c]{2,8}\b/, /c{2}\B/, /a(?:b|bc){1,3}c?/, /b{1,3}/, /[ab]{2,6}/, /[abc ]{3,9}/]
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', ' '), { maxLength: 14 }).map((all) => all.join(''))
    fc.assert(
      fc.property(fc.subarray(patterns, { minLength: 2 }), texts, places, (chosen, text, places) => {
        const scanner = new Scanner(chosen.map((pattern, index) => ({ type: `${index}`, pattern })))
        const { found } = scanPieces(scanner, cut(text, places))
        expect(found.map(({ type, start, end }) => [Number(type), start, end])).toEqual(
          longestOfAll(chosen, text),
        )
      }),
      { numRuns: runs / 2 },
    )
  })

  test('reports overlapping matches of different recognizers and covers both', () => {
    const scanner = new Scanner([
      { type: 'a', pattern: /1 23/ },
      { type: 'b', pattern: /23 4/ },
      { type: 'inner', pattern: /2/ },
    ])
    expect(scanPieces(scanner, ['x1 23 4y']).out).toBe('x<a:1 23>1 23<b+:23 4> 4y')
    expect(scanner.replace('x1 23 4y', () => '#')).toBe('x#y')
  })

  test('takes a shorter candidate where the longest is rejected', () => {
    const scanner = new Scanner([
      { type: 'a', pattern: /\d{1,5}/, score: (value) => (value.length === 3 ? 1 : 0) },
    ])
    expect(scanner.detect('12345')).toEqual([{ type: 'a', start: 0, end: 3, score: 1, recognizer: 'a' }])
  })

  test('lifts the score of a match by words before it, in text that is out already', () => {
    const scanner = new Scanner([
      { type: 'pin', pattern: /\b\d{4}\b/, score: 0.2, context: ['PIN', 'pin code'] },
    ])
    expect(scanner.detect('1234 shopping 1234')).toEqual([])
    const { found } = scanPieces(scanner, 'The Pin  Code for it is 1234'.split(''))
    expect(found).toMatchObject([{ start: 24, end: 28, score: 0.55 }])
    expect(scanner.detect(`pin ${'-'.repeat(64)} 1234`)).toEqual([])
  })

  test('covers an open-ended match from its header on, holding nothing', () => {
    const scanner = new Scanner([{ type: 'pem', pattern: /BEGIN KEY/, rest: { until: /END KEY/ } }])
    const { out, found } = scanPieces(scanner, 'see BEGIN KEY abc END KEY.'.split(''))
    expect(out).toBe('see <pem:BEGIN KEY>BEGIN KEY ABC END KEY.')
    expect(found).toMatchObject([{ start: 4, end: 25 }])
    let covered = ''
    const scan = scanner.open(
      textSink('BEGIN KEY abcde', {
        covered: (piece) => {
          covered += piece
        },
      }),
    )
    scan.push('BEGIN KEY abcde')
    expect(covered).toBe('BEGIN KEY abcde')
  })
})

describe('a pattern', () => {
  test.each([
    [/(a)\1/, 'a backreference'],
    [/a(?=bc)/, 'more than one character'],
    [/a+/, 'no longest match'],
    [/(?:\w{0,999}){500}/, 'states'],
  ])('%s is refused', (pattern, reason) => {
    expect(() => new Scanner([{ type: 'x', pattern }])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(reason) }),
    )
  })

  test('that could run away runs in linear time', () => {
    const scanner = new Scanner([{ type: 'x', pattern: /(?:a+)+b/, maxLength: 64 }])
    expect(scanner.detect('a'.repeat(2_000))).toEqual([])
  })
})

function leftmostLongest(pattern: RegExp, text: string, maxLength: number): [number, number][] {
  const found: [number, number][] = []
  const isInside = (place: number) => /^[\udc00-\udfff]$/.test(text[place] ?? '')
  next: for (let start = 0; start < text.length; start++) {
    if (isInside(start)) continue
    for (let end = Math.min(text.length, start + maxLength); end > start; end--) {
      if (isInside(end)) continue
      if (matchesExactly(pattern, text, start, end)) {
        found.push([start, end])
        start = end - 1
        continue next
      }
    }
  }
  return found
}

/** Pattern, start and end: at each place the longest, if it reaches further than what was found before. */
function longestOfAll(patterns: readonly RegExp[], text: string): [number, number, number][] {
  const found: [number, number, number][] = []
  let reached = 0
  for (let start = 0; start < text.length; start++) {
    const own = found.filter(([, , end]) => end > start).map(([index]) => index)
    for (let end = text.length; end > Math.max(start, reached); end--) {
      const index = patterns.findIndex(
        (pattern, index) => !own.includes(index) && matchesExactly(pattern, text, start, end),
      )
      if (index < 0) continue
      found.push([index, start, end])
      reached = end
    }
  }
  return found
}

/** Whether the pattern matches from `start` to `end` exactly, by marking both places. */
function matchesExactly(pattern: RegExp, text: string, start: number, end: number): boolean {
  const flags = pattern.flags.includes('u') ? pattern.flags : `${pattern.flags}u`
  const source = `(?<=(?<![^])[^]{${codePoints(text, start)}})(?:${pattern.source})(?=[^]{${codePoints(text.slice(end), text.length)}}(?![^]))`
  return new RegExp(source, flags).test(text)
}

function codePoints(text: string, end: number): number {
  return [...text.slice(0, end)].length
}
