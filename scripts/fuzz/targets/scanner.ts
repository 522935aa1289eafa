import { Script } from 'node:vm'
import { MillraceError } from '@millrace/core'
import { type Detection, type Recognizer, Scanner } from '@millrace/guards/scanner'
import fc from 'fast-check'
import { type FuzzTarget, hold, same } from '../target.ts'
import { areNumbers, areTexts, cut, isText } from './pieces.ts'

interface ScannerInput {
  recognizers: {
    source: string
    flags?: string
    maxLength?: number
    score?: number
    context?: string[]
    /** The finding is the match without so many units at its start. */
    from?: number
    rest?: { until?: string; while?: string; maxLength?: number }
  }[]
  text: string
  /** The positions at which the text is split. */
  cuts: number[]
}

const atom = fc.constantFrom(
  ...['a', 'b', '1', '.', '[ab]', '[^a]', '\\d', '\\w', '\\s', '\\b', '\\B', '^', '$', '(?<!a)', '(?!b)'],
  ...['(?=1|$)', '(?<=[ab])', '😀', '\\p{L}', '\\u{1f600}', '[a-c]', '-', '@'],
)
const { pattern } = fc.letrec<{ pattern: string; sequence: string; term: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((each) => each.join('|')),
  sequence: fc.array(tie('term'), { minLength: 1, maxLength: 4 }).map((each) => each.join('')),
  term: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc
      .tuple(atom, fc.constantFrom('?', '{1,3}', '{2}', '{0,2}', '*', '+'))
      .map(([one, often]) => one + often),
    tie('pattern').map((inner) => `(?:${inner})`),
    tie('pattern').map((inner) => `(?:${inner}){1,2}`),
  ),
}))
const text = fc
  .array(fc.constantFrom(...'aab1.-@ c\n😀é', 'ab', 'a1', '\ud83d', 'pin '), { maxLength: 24 })
  .map((pieces) => pieces.join(''))

/** Findings do not depend on the splits of a text, and match the pattern. */
export const scanner: FuzzTarget = {
  covers: ['packages/guards/src/scanner'],
  dictionary: [
    ...[
      '(?:',
      ')',
      '|',
      '[',
      ']',
      '{1,3}',
      '*',
      '+',
      '?',
      '(?<!',
      '(?=',
      '\\b',
      '\\d',
      '\\w',
      '^',
      '$',
      '\\u{61}',
    ],
    ...[
      '\\p{L}',
      '[^',
      '(?<x>',
      '\\1',
      'i',
      'iu',
      'm',
      's',
      'v',
      'a',
      'b',
      'pin',
      'maxLength',
      'score',
      'context',
    ],
    ...['rest', 'until', 'while', 'from', 'recognizers', 'source', 'flags'],
  ],
  seeds: () => [
    { recognizers: [{ source: 'a(?:b|bc){1,3}c?' }], text: 'xabcbcca', cuts: [3] },
    { recognizers: [{ source: '(?<![\\w.])[\\w.]{1,8}@[a-z]{1,6}' }], text: 'to a.b@c, b@', cuts: [4, 6] },
    {
      recognizers: [{ source: '\\d{2}', score: 0.3, context: ['pin code'] }],
      text: 'Pin  code 12',
      cuts: [5],
    },
    { recognizers: [{ source: 'ey[ab]{2}', rest: { while: '[ab.]' } }], text: 'eyab.a.b c', cuts: [2, 6] },
    { recognizers: [{ source: '--b', rest: { until: '--a{1,2}' } }], text: '--b x --aa y', cuts: [7, 9] },
    { recognizers: [{ source: '==', rest: { until: '\\.', maxLength: 5 } }], text: '==12345678.', cuts: [4] },
    {
      recognizers: [
        { source: 'pin=\\d{4}', from: 4 },
        { source: '\\bin a\\b' },
        { source: 'A[B-C]+', flags: 'i', maxLength: 9 },
      ],
      text: 'in a pin=1234 aBc',
      cuts: [7, 11],
    },
    { recognizers: [{ source: '[^\\u{1f600}]😀?c', flags: 'u' }], text: 'a😀c😀', cuts: [2] },
  ],
  arbitrary: fc.record({
    recognizers: fc.array(
      fc.record(
        {
          source: pattern,
          flags: fc.constantFrom('', 'i', 'u', 'm', 's', 'iu', 'v'),
          maxLength: fc.integer({ min: 1, max: 12 }),
        },
        { requiredKeys: ['source'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    text,
    cuts: fc.array(fc.nat(40), { maxLength: 6 }),
  }),
  run(input) {
    if (!isInput(input)) return
    const recognizers = input.recognizers.map(recognizerOf)
    if (!recognizers.every((each) => each !== undefined)) return
    let scanner: Scanner
    try {
      scanner = new Scanner(recognizers)
    } catch (error) {
      if (MillraceError.isInstance(error) && error.code === 'CONFIG_INVALID') return
      throw error
    }
    const { text, cuts } = input
    const whole = scan(scanner, [text])
    hold(whole.passed === text, () => `text in ${quote(text)}, text out ${quote(whole.passed)}`)
    for (const pieces of [cut(text, cuts), text.split('')]) {
      const split = scan(scanner, pieces)
      hold(same(split.found, whole.found) && split.out === whole.out, () => {
        return `cut into ${quote(pieces)}: ${quote(split)}, whole: ${quote(whole)}`
      })
      // Plus half a surrogate pair.
      const most = scanner.maxLength + 1
      hold(split.held <= most, () => `held ${split.held} of at most ${most}`)
    }
    for (const recognizer of recognizers) comparePlain(recognizer, text)
  },
}

function isInput(input: unknown): input is ScannerInput {
  const { recognizers, text, cuts } = (input ?? {}) as Partial<ScannerInput>
  return (
    isText(text) &&
    text.length <= 200 &&
    areNumbers(cuts) &&
    Array.isArray(recognizers) &&
    recognizers.length <= 6 &&
    recognizers.every((each) => typeof each === 'object' && each !== null)
  )
}

/** `undefined` if the input is not a recognizer: invalid types are not part of this test. */
function recognizerOf(given: ScannerInput['recognizers'][number], index: number): Recognizer | undefined {
  const { source, flags, maxLength, score, context, from, rest } = given
  const pattern = expressionOf(source, flags ?? '')
  if (!pattern || pattern.source.length > 80) return undefined
  if (/\{\d{3,}/.test(pattern.source)) return undefined
  if (context !== undefined && !(areTexts(context) && context.every((word) => word.trim() !== '')))
    return undefined
  const reach = rest && restOf(rest)
  if (rest !== undefined && !reach) return undefined
  return {
    type: `t${index}`,
    pattern,
    ...(typeof maxLength === 'number' && { maxLength: Math.min(maxLength, 40) }),
    ...(typeof score === 'number' && { score }),
    ...(context && { context }),
    ...(typeof from === 'number' && !reach && { part: (match: string) => partOf(match, from) }),
    ...(reach && { rest: reach }),
  }
}

function partOf(match: string, from: number): [number, number] {
  return [Math.min(Math.max(0, Math.trunc(from)), match.length), match.length]
}

function restOf(
  rest: NonNullable<ScannerInput['recognizers'][number]['rest']>,
): Recognizer['rest'] | undefined {
  if (typeof rest !== 'object' || rest === null) return undefined
  const limit = typeof rest.maxLength === 'number' && { maxLength: Math.max(0, Math.trunc(rest.maxLength)) }
  const until = rest.until === undefined ? undefined : expressionOf(rest.until, '')
  if (until && until.source.length < 40 && !/\{\d{3,}/.test(until.source)) return { until, ...limit }
  const matching = rest.while === undefined ? undefined : expressionOf(rest.while, '')
  return matching && { while: matching, ...limit }
}

function expressionOf(source: unknown, flags: unknown): RegExp | undefined {
  if (!isText(source) || !isText(flags)) return undefined
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}

/** The result of a scan with matches in brackets, the emitted text, and the maximum that was held back. */
function scan(
  scanner: Scanner,
  pieces: readonly string[],
): { out: string; passed: string; found: Detection[]; held: number } {
  const result = { out: '', passed: '', found: [] as Detection[], held: 0 }
  const text = pieces.join('')
  const take = (units: number): string => {
    const piece = text.slice(result.passed.length, result.passed.length + units)
    result.passed += piece
    return piece
  }
  const scan = scanner.open({
    pass: (units) => {
      result.out += take(units)
    },
    cover: (units) => {
      take(units)
    },
    match: (detection, value, { continues }) => {
      result.out += `<${detection.type}${continues ? '+' : ''}:${value}>`
      result.found.push(detection)
    },
  })
  for (const piece of pieces) {
    scan.push(piece)
    result.held = Math.max(result.held, scan.held)
  }
  scan.end()
  hold(scan.held === 0, () => `${scan.held} are held after the end`)
  return result
}

/** Compares with JavaScript's engine, if it has the same semantics for this pattern. */
function comparePlain(recognizer: Recognizer, text: string): void {
  if (!('pattern' in recognizer)) return
  const { pattern, maxLength = 40, rest, part, score = 1, context } = recognizer
  if (rest || part || context || typeof score !== 'number' || score < 0.5 || score > 1 || text.length > 30)
    return
  // Without the flag `u`, surrogate pairs count as two characters and case folding differs.
  const isPlain = /^[\0-\x7f]*$/.test(text + pattern.source)
  if (!isPlain && (!/[uv]/.test(pattern.flags) || pattern.ignoreCase)) return
  const expected = plainMatches(pattern, text, maxLength)
  if (!expected) return
  const found = new Scanner([recognizer]).detect(text).map(({ start, end }) => [start, end])
  hold(
    same(found, expected),
    () => `${pattern} in ${quote(text)}: ${quote(found)}, expected ${quote(expected)}`,
  )
}

/** The leftmost longest matches, by trying every pair of positions. `undefined` if that takes too long. */
function plainMatches(pattern: RegExp, text: string, maxLength: number): [number, number][] | undefined {
  const flags = pattern.flags.replace(/[gyd]/g, '')
  const found: [number, number][] = []
  let start = 0
  next: while (start < text.length) {
    const units = (text.codePointAt(start) as number) > 0xffff ? 2 : 1
    for (let end = Math.min(text.length, start + maxLength); end > start; end--) {
      if (/[\ud800-\udbff]/.test(text[end - 1] as string) && /[\udc00-\udfff]/.test(text[end] ?? '')) continue
      const left = count(text.slice(end), flags)
      const exact = expressionOf(`(?:${pattern.source})(?=[^]{${left}}(?![^]))`, `${flags}y`)
      const matches = exact && matchesAt(exact, text, start)
      if (matches === undefined) return undefined
      if (!matches) continue
      found.push([start, end])
      start = end
      continue next
    }
    start += units
  }
  return found
}

/** The number of characters under these flags. */
function count(text: string, flags: string): number {
  return /[uv]/.test(flags) ? [...text].length : text.length
}

/** Whether a sticky expression matches at a position; `undefined` if that takes too long. */
function matchesAt(expression: RegExp, text: string, start: number): boolean | undefined {
  const code = `const expression = ${expression}; expression.lastIndex = ${start}; expression.test(${quote(text)})`
  if (!/\)[*+?{]/.test(expression.source)) {
    expression.lastIndex = start
    return expression.test(text)
  }
  try {
    return new Script(`{${code}}`).runInThisContext({ timeout: 50 }) as boolean
  } catch {
    return undefined
  }
}

function quote(value: unknown): string {
  return JSON.stringify(value)
}
