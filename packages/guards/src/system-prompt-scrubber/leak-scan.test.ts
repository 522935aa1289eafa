import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textSink } from '../../test/text-sink.ts'
import { LeakScan } from './leak-scan.ts'
import { PhraseIndex } from './phrase-index.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 20_000 : 600

const instructions = `You are Ada, the assistant of Harbour Bank. Never discuss the merger with Northwind before the third of May.
Straße, größer: l'été à la plage. 1. first 2) second $ecret p@ss.`
const words = instructions.split(/\s+/)

/** Secrets with the prefilter, as the guard creates them, or without it. */
function secretsOf({ closely }: { closely: boolean }) {
  return [
    { type: 'system_prompt', index: new PhraseIndex(instructions, { leastWords: 8 }) },
    { type: 'canary', index: new PhraseIndex('quetzal9', { leastWords: 1, withinWords: true }) },
  ].map(({ type, index }) => ({
    type,
    index: closely ? Object.assign(index, { grams: undefined, shortest: 0 }) : index,
    allowed: new Set<number>(),
  }))
}

const gated = secretsOf({ closely: false })
const closely = secretsOf({ closely: true })

function scan(secrets: typeof gated, pieces: readonly string[]): string {
  let out = ''
  const sink = textSink(pieces.join(''), {
    text: (piece) => {
      out += piece
    },
    match: ({ type, recognizer }) => {
      out += `[${type} ${recognizer}]`
    },
    covered: (piece) => {
      out += piece.replace(/./gsu, '#')
    },
  })
  const scan = new LeakScan(secrets, sink)
  for (const piece of pieces) scan.push(piece)
  scan.end()
  return out
}

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const hexadecimal = (text: string): string => Buffer.from(text).toString('hex')
const codes = (text: string): string => [...text].map((character) => character.codePointAt(0)).join(' ')

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  rot13,
  base64,
  (text) => base64(text).replace(/(.{4})/g, '$1 '),
  (text) => base64(text).replace(/(.{7})/g, '$1\n'),
  (text) => base64(text.replace(/ /g, ' – ')).replace(/(.{20})/g, '$1\r\n  '),
  (text) => base64(text.replace(/(\S+)/g, '1. <b>$1</b>')).replace(/(.{9})/g, '$1 '),
  (text) => base64(text.replace(/ /g, '-'.repeat(50))).replace(/(.{6})/g, '$1\n'),
  hexadecimal,
  (text) => hexadecimal(text).replace(/(..)/g, '0x$1, '),
  codes,
  encodeURIComponent,
  (text) => [...text].toReversed().join(''),
  (text) => text.replace(/\s/g, ''),
  (text) => text.replace(/a/g, '@').replace(/s/g, '$').replace(/i/g, '!'),
  (text) => text.replace(/(\S+)/g, '3. $1'),
  (text) => text.replace(/(\S+)/g, '<li>$1</li>'),
  (text) => text.replace(/(\S)/gu, '$1 '),
  (text) => text.replace(/ /g, '!'),
  (text) => text.replace(/ /g, ' '.repeat(40)),
]

const leak = fc
  .tuple(fc.nat(words.length), fc.integer({ min: 1, max: 14 }), fc.constantFrom(...FORMS))
  .map(([first, count, form]) => form(words.slice(first, first + count).join(' ')))
const prose = fc.constantFrom(
  'The meeting is on Thursday, in the small room behind the kitchen.',
  'It costs 1,299.00 now, which is more than the 999 I was told on 12.03.',
  'Bitte schreiben Sie mir, ob das in Ordnung ist – danke!',
  'Спасибо, это помогло.',
  'quetzal9',
  'Merger',
)
const scrap = fc.constantFrom(
  ...[
    '1',
    '12.',
    '7) ',
    '%',
    '%4',
    '&',
    '&#',
    '\\',
    '\\u',
    '<',
    '</',
    '!',
    '!!',
    '$',
    '€',
    'ß',
    'ﬁ',
    '🙂',
    '\ud83d',
    "'",
    '-',
    '\n',
    '0x',
    '\u200b',
  ],
)

test('the prefilter changes no result, however the text is split into pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(leak, prose, scrap), { maxLength: 10 }),
      fc.constantFrom('', ' ', '. '),
      fc.integer({ min: 1, max: 40 }),
      (pieces, glue, size) => {
        const text = pieces.join(glue)
        const cut = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const expected = scan(closely, [text])
        expect(scan(gated, [text])).toBe(expected)
        expect(scan(gated, cut)).toBe(expected)
      },
    ),
    { numRuns: runs },
  )
})

test.each([
  'It is cold outside, and the room behind the kitchen has no oven. ',
  'The committee met on Tuesday to review the budget, and most of its members agreed that the plan was sound. ',
  'Wir haben am Dienstag über den Haushalt gesprochen, und die meisten waren mit dem Plan einverstanden. ',
])('%j is emitted word by word', (sentence) => {
  let passed = 0
  const scan = new LeakScan(gated, {
    pass: (units) => {
      passed += units
    },
    match: () => {},
    cover: () => {},
  })
  const longest = Math.max(...sentence.split(' ').map(({ length }) => length))
  const text = sentence.repeat(40)
  for (let length = 1; length <= text.length; length++) {
    scan.push(text.slice(length - 1, length))
    expect(length - passed).toBeLessThanOrEqual(longest)
  }
})
