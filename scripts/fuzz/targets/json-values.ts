import fc from 'fast-check'
import { NotJson, toJson } from '../../../packages/core/src/messages/json-output.ts'
import { JsonText } from '../../../packages/guards/src/guard/json-text.ts'
import { rewriteJson } from '../../../packages/guards/src/guard/json-value.ts'
import { Scanner } from '../../../packages/guards/src/scanner/scanner.ts'
import { type FuzzTarget, hold, same } from '../target.ts'
import { oddWords, withOddValues } from './odd-values.ts'
import { areNumbers, cut, isText } from './pieces.ts'

/** JSON text, or a value that is serialized with `JSON.stringify`. */
type JsonInput = ({ text: string } | { value: unknown }) & { cuts: number[] }

const scanner = new Scanner([
  { type: 'word', pattern: /secret/ },
  { type: 'number', pattern: /(?<![\d.+-])\d{7,9}(?![\d.eE])/ },
  { type: 'quoted', pattern: /a["\\\n]b/ },
])
/** Has characters that JSON must escape. */
const replacement = '[\\"]'

const word = fc.constantFrom('secret', 'a', 'b', 'a"b', 'a\\b', '5551234', 'é', '😀', '\u2028', 'phone', '')
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(''))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 0, 1.5, 5_551_234, -5_551_234, 12_345_678_901, 1e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
}))

/** JSON stays valid, whole and in chunks, and every string in it is scanned. */
export const jsonValues: FuzzTarget = {
  covers: ['packages/guards/src/guard', 'packages/core/src/messages'],
  dictionary: [
    ...[
      'secret',
      '5551234',
      '"secret"',
      '\\u0073ecret',
      '\\"',
      '\\\\',
      '\\ud83d',
      '{"a":',
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
    ],
    ...['text', 'value', 'cuts', 'a"b', 'toJSON', '1e7', '-', ...oddWords],
  ],
  seeds: () => [
    { text: '{"name":"secret","list":[1,"a secret",{"secret":5551234}]}', cuts: [3, 12] },
    { text: '"\\u0073ecret \\" \\\\ \\n a\\"b a\\\\b \\ud83d\\ude00"', cuts: [2, 5, 9] },
    { text: ' {"phone": 5551234 , "x":[5551234, -5551234, 5551234.5]} ', cuts: [14] },
    { text: 'no JSON: "secret', cuts: [1] },
    { text: '"broken \\u00 \\x escape', cuts: [11] },
    { value: { secret: { secret: ['secret'] }, n: [5_551_234, null, true, 'a\nb'] }, cuts: [9] },
    { value: 'secret', cuts: [] },
  ],
  arbitrary: fc.record({ value, cuts: fc.array(fc.nat(200), { maxLength: 6 }) }),
  run(input) {
    if (!isInput(input)) return
    if ('value' in input) copy(input.value)
    const text = 'text' in input ? input.text : JSON.stringify(input.value)
    if (text.length > 5_000) return
    const whole = read([text], true)
    for (const pieces of [cut(text, input.cuts), text.split('')]) {
      const split = read(pieces, true)
      hold(same(split, whole), () => `cut into ${quote(pieces)}: ${quote(split)}, whole: ${quote(whole)}`)
      hold(read(pieces, false).out === text, () => `without a finding, ${quote(text)} is spelled otherwise`)
    }
    hold(whole.scanned <= 2 * text.length + 64, () => `${whole.scanned} scanned of ${text.length}`)
    const parsed = parse(text)
    // In chunks, a number is scanned as it is written, and only digits are found in it.
    const isPlain = !/\d[eE]/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ''))
    if (parsed && isPlain) compare(parsed.value, { text, out: whole.out })
  },
}

function isInput(input: unknown): input is JsonInput {
  const { text, value, cuts } = (input ?? {}) as { text?: unknown; value?: unknown; cuts?: unknown }
  return areNumbers(cuts) && (isText(text) || (text === undefined && value !== undefined))
}

/** A tool's output is converted to JSON once: the result of `JSON.stringify`, or an error. */
function copy(value: unknown): void {
  const odd = withOddValues(value)
  let json: unknown
  try {
    json = toJson(odd)
  } catch (error) {
    if (error instanceof NotJson) return
    throw error
  }
  const isOdd = oddWords.some((word) => quote(value).includes(word))
  hold(isOdd || quote(json) === quote(value), () => `${quote(value)} became ${quote(json)}`)
  hold(quote(toJson(json)) === quote(json), () => `${quote(json)} becomes something else the second time`)
  hold(misreads(json) || quote(JSON.parse(quote(json))) === quote(json), () => `${quote(json)} is no JSON`)
}

/** Scans JSON in chunks. */
function read(pieces: readonly string[], finds: boolean): { out: string; found: string[]; scanned: number } {
  const found: string[] = []
  let scanned = 0
  const text = pieces.join('')
  let out = ''
  let place = 0
  const json = new JsonText({
    edits: {
      pass(units) {
        out += text.slice(place, place + units)
        place += units
      },
      insert(inserted) {
        out += inserted
      },
      skip(units) {
        place += units
      },
    },
    open(sink, name) {
      const passing = { push: (piece: string) => sink.pass(piece.length), end: () => {} }
      const scan = finds ? scanner.open(sink, name) : passing
      return {
        push: (piece) => {
          scanned += piece.length
          scan.push(piece)
        },
        end: () => scan.end(),
      }
    },
    match: ({ type }, value) => found.push(`${type} ${value}`),
    replacement: () => replacement,
  })
  for (const piece of pieces) json.push(piece)
  json.end()
  hold(place === text.length, () => `${text.length - place} units of ${quote(text)} are left`)
  return { out, found, scanned }
}

function compare(value: unknown, { text, out }: { text: string; out: string }): void {
  const after = parse(out)
  hold(after !== undefined, () => `${quote(text)} became ${out}, which is no JSON`)
  for (const string of stringsIn(after?.value)) {
    hold(scanner.detect(string).length === 0, () => `${quote(string)} is left in ${out}`)
  }
  const strings: string[] = []
  const kept = rewriteJson(value, (text) => {
    strings.push(text)
    return text
  })
  hold(kept === value, () => `without a change, ${quote(value)} is another value`)
  hold(same(strings.sort(), stringsIn(value).sort()), () => `read of ${quote(value)}: ${quote(strings)}`)
  const rewritten = rewriteJson(value, (text) => scanner.replace(text, () => replacement))
  for (const string of stringsIn(rewritten)) {
    hold(scanner.detect(string).length === 0, () => `${quote(string)} is left in ${quote(rewritten)}`)
  }
  if (misreads(value)) return
  // If two names were replaced by the same one, either value may remain.
  const isWhole = same(JSON.stringify(rewritten).split(':').length, JSON.stringify(value).split(':').length)
  if (!isWhole) return
  hold(sorted(rewritten) === sorted(after?.value), () => {
    return `${quote(value)} becomes ${quote(rewritten)} as a whole and ${out} in pieces`
  })
}

/** All strings of a value, including names, and numbers that are long enough to be identifiers. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') {
    const text = String(value)
    return Number.isInteger(value) && text.length >= 7 ? [text] : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(stringsIn)
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)])
}

/** V8 13 reads the name `\\"` as `\\\\` if it has read that name before at the same position. */
function misreads(value: unknown): boolean {
  return stringsIn(value).some((string) => string.includes('\\'))
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** JSON with the properties of every object sorted by name. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

function quote(value: unknown): string {
  return JSON.stringify(value)
}
