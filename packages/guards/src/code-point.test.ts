import { expect, test } from 'vitest'
import { textSink } from '../test/text-sink.ts'
import { codePointAt } from './code-point.ts'
import { Scanner } from './scanner/index.ts'

/** Runs often enough to be optimized by V8. */
const RUNS = 3_000

/** The beginning of a longer text, up to a position: V8 keeps a reference to the longer text. */
function longText(index: number): { text: string; cut: number } {
  const start = `A text that is longer than a dozen characters, number ${index % 10}: `
  return { text: `${start}😀, and more`, cut: start.length + 1 }
}

test.each([
  ['a', 0, 0x61],
  ['😀', 0, 0x1f600],
  ['😀', 1, 0xde00],
  ['a\ud83d', 1, 0xd83d],
  ['\ud83da', 0, 0xd83d],
  ['\udc00\ud83d\ude00', 1, 0x1f600],
])('of %j at %i is %i', (text, position, expected) => {
  expect(codePointAt(text, position)).toBe(expected)
})

test('of a slice is within the slice, also in optimized code', () => {
  for (let run = 0; run < RUNS; run++) {
    const { text, cut } = longText(run)
    expect(codePointAt(text.slice(0, cut), cut - 1)).toBe(0xd83d)
  }
})

test('a scanner loses no half of a character, also in optimized code', () => {
  for (let run = 0; run < RUNS; run++) {
    const { text, cut } = longText(run)
    const out: string[] = []
    const scan = new Scanner([]).open(textSink(text, { text: (piece) => void out.push(piece) }))
    for (const piece of [text.slice(0, cut), text.slice(cut)]) scan.push(piece)
    scan.end()
    expect(out.join('')).toBe(text)
  }
})
