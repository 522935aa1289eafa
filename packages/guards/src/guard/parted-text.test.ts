import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Detection } from '../scanner/recognizer.ts'
import { Scanner } from '../scanner/scanner.ts'
import { EditedText, type EditedTextOptions } from './edited-text.ts'
import { PartedText } from './parted-text.ts'
import type { TextEdits } from './text-edits.ts'
import type { OpenScan } from './text-scanner.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 5_000 : process.env.MILLRACE_MUTATION === '1' ? 40 : 500

const scanner = new Scanner([
  { type: 'key', pattern: /\bKEY-\d{4,8}\b/ },
  { type: 'name', pattern: /\bJo Doe\b/ },
  { type: 'pem', pattern: /-----BEGIN/, rest: { until: /-----END/ } },
])

type OnMatch = EditedTextOptions['onMatch']
type Match = Pick<Detection, 'type' | 'start' | 'end'>

function scanOf(edits: TextEdits, onMatch: OnMatch): OpenScan {
  return new EditedText({ scanner, json: false, replacement: ({ type }) => `<${type}>`, onMatch }, edits)
}

interface Scanned {
  readonly out: string
  readonly matches: readonly Match[]
  /** By unit: whether it is left out. */
  readonly skipped: readonly boolean[]
}

/** Scans parts of a text; each arrives in pieces of so many units. */
function scan(parts: readonly string[], size = Number.POSITIVE_INFINITY): Scanned {
  const text = parts.join('')
  const matches: Match[] = []
  const skipped: boolean[] = []
  let out = ''
  const edits: TextEdits = {
    pass(units) {
      out += text.slice(skipped.length, skipped.length + units)
      for (let count = 0; count < units; count++) skipped.push(false)
    },
    insert(inserted) {
      out += inserted
    },
    skip(units) {
      for (let count = 0; count < units; count++) skipped.push(true)
    },
  }
  const onMatch: OnMatch = ({ type, start, end }) => void matches.push({ type, start, end })
  const parted = new PartedText({ joined: scanOf, alone: scanOf, edits, onMatch })
  for (const [index, part] of parts.entries()) {
    if (index > 0) parted.nextPart()
    const step = Math.min(size, Math.max(1, part.length))
    for (let at = 0; at < part.length; at += step) parted.push(part.slice(at, at + step))
  }
  parted.end()
  expect(skipped).toHaveLength(text.length)
  return { out, matches, skipped }
}

describe.each([1, 3, Number.POSITIVE_INFINITY])('in pieces of %d', (size) => {
  test('a text of one part is scanned as it is', () => {
    expect(scan(['It is KEY-1234.'], size)).toMatchObject({
      out: 'It is <key>.',
      matches: [{ type: 'key', start: 6, end: 14 }],
    })
    expect(scan([''], size).out).toBe('')
  })

  test('what goes over parts is found', () => {
    expect(scan(['It is KE', 'Y-1', '234. And', ' Jo ', 'Doe'], size)).toMatchObject({
      out: 'It is <key>. And <name>',
      matches: [
        { type: 'key', start: 6, end: 14 },
        { type: 'name', start: 20, end: 26 },
      ],
    })
  })

  test('what fills a part is found, whatever letters are beside it', () => {
    expect(scan(['So 7', 'KEY-1234', 'x and y'], size)).toMatchObject({
      out: 'So 7<key>x and y',
      matches: [{ type: 'key', start: 4, end: 12 }],
    })
    expect(scan(['KEY-1234', 'x'], size)).toMatchObject({
      out: '<key>x',
      matches: [{ type: 'key', start: 0, end: 8 }],
    })
    expect(scan(['See KEY-1234', 'x'], size)).toMatchObject({
      out: 'See <key>x',
      matches: [{ type: 'key', start: 4, end: 12 }],
    })
    expect(scan(['a', 'KEY-1234', 'b', 'Jo Doe'], size)).toMatchObject({
      out: 'a<key>b<name>',
      matches: [
        { type: 'key', start: 1, end: 9 },
        { type: 'name', start: 10, end: 16 },
      ],
    })
  })

  test('what is found both ways is one', () => {
    expect(scan(['It is ', 'KEY-1234', ' or ', 'Jo Doe'], size)).toMatchObject({
      out: 'It is <key> or <name>',
      matches: [
        { type: 'key', start: 6, end: 14 },
        { type: 'name', start: 18, end: 24 },
      ],
    })
  })

  test('of two that overlap, the one over all parts counts', () => {
    expect(scan(['KEY-1234', '567 x'], size)).toMatchObject({
      out: '<key> x',
      matches: [{ type: 'key', start: 0, end: 11 }],
    })
    expect(scan(['a ', 'KEY-1234', '567', ' x'], size)).toMatchObject({
      out: 'a <key> x',
      matches: [{ type: 'key', start: 2, end: 13 }],
    })
  })

  test('what is decided when a second part begins is not reported again', () => {
    expect(scan(['KEY-1234 is it.', 'x', 'KEY-5678'], size)).toMatchObject({
      out: '<key> is it.x<key>',
      matches: [
        { type: 'key', start: 0, end: 8 },
        { type: 'key', start: 16, end: 24 },
      ],
    })
  })

  test('neighbours are two', () => {
    expect(scan(['KEY-1234', 'KEY-5678'], size).out).toBe('<key><key>')
    expect(scan(['x', 'Jo Doe', 'KEY-5678', 'Jo Doe', 'y'], size).out).toBe('x<name><key><name>y')
  })

  test('what is open goes on over parts, and ends where it ends', () => {
    expect(scan(['See -----BEGIN abc', 'def KEY-1234', 'ghi -----END. KEY-5678'], size)).toMatchObject({
      out: 'See <pem>. <key>',
    })
    expect(scan(['See -----BEG', 'IN abc', 'def'], size).out).toBe('See <pem>')
  })

  test('empty parts are none', () => {
    expect(scan(['', '', 'KEY-', '', '1234', ''], size).out).toBe('<key>')
  })

  test('what stands before a match is remembered, however long a part is', () => {
    for (const length of [100, 5_000, 40_000]) {
      const before = 'y '.repeat(length / 2)
      expect(scan([`${before}KEY-1234`, 'x'], Math.max(size, 50)).out).toBe(`${before}<key>x`)
      // A word that goes on: no key begins there.
      const word = 'y'.repeat(length)
      expect(scan([`${word}KEY-1234`, 'x'], Math.max(size, 50)).matches).toEqual([])
    }
    const open = `-----BEGIN ${'y '.repeat(10_000)}`
    expect(scan([open, 'KEY-1234', '-----END'], Math.max(size, 50)).out).toBe('<pem>')
  })
})

const token = fc.constantFrom(
  'KEY-',
  '12',
  '34',
  '1234',
  'x',
  ' ',
  'Jo',
  'Doe',
  'Jo Doe',
  'KEY-1234',
  '-----BEGIN',
  '-----END',
)
const anyParts = fc.array(
  fc.array(token, { maxLength: 4 }).map((tokens) => tokens.join('')),
  { maxLength: 5 },
)

function covers({ start, end }: Match, unit: number): boolean {
  return start <= unit && unit < end
}

test('leaves out what is found over all parts or in one of them, and nothing else', () => {
  fc.assert(
    fc.property(anyParts, fc.constantFrom(1, 2, Number.POSITIVE_INFINITY), (parts, size) => {
      const { skipped, matches, out } = scan(parts, size)
      const joined = scan([parts.join('')])
      let offset = 0
      const alone = parts.flatMap((part) => {
        const { skipped: own } = scan([part])
        const found = scan([part]).matches.map(({ type, start, end }) => ({
          type,
          start: start + offset,
          end: end + offset,
        }))
        offset += part.length
        return [{ own, found }]
      })
      const own = alone.flatMap((each) => each.own)
      expect(skipped).toEqual(joined.skipped.map((isSkipped, unit) => isSkipped || own[unit] === true))
      // What stands for it is there, and where nothing is left out nothing is added.
      expect(out === parts.join('')).toBe(!skipped.includes(true))
      expect(matches).toEqual(expect.arrayContaining([...joined.matches]))
      expect(new Set(matches.map((match) => JSON.stringify(match))).size).toBe(matches.length)
      const others = alone
        .flatMap(({ found }) => found)
        .filter(({ start, end }) => !joined.skipped.slice(start, end).includes(true))
      expect(matches).toEqual(expect.arrayContaining(others))
      for (const match of matches) expect(skipped[match.start]).toBe(true)
      for (const [unit, isSkipped] of skipped.entries()) {
        const isOpen = matches.some(({ type, start }) => type === 'pem' && start <= unit)
        if (isSkipped && !isOpen) expect(matches.some((match) => covers(match, unit))).toBe(true)
      }
      const inOrder = (found: readonly Match[]) => [...found].sort((one, other) => one.start - other.start)
      const whole = scan(parts)
      expect({ ...whole, matches: inOrder(whole.matches) }).toEqual({
        out,
        matches: inOrder(matches),
        skipped,
      })
    }),
    { numRuns: runs },
  )
})
