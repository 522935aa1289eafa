import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Scanner } from './index.ts'

const PATTERNS = [
  /\b[2-9]\d{3} [1-4]\d{3}\b/,
  /(?<!\d)(?:0[1-9]|1[0-2])\/(?:19|20)\d{2}(?!\d)/,
  /\b1[3-9]\d{4}(?:-7[05])?\b/,
  /\b(?:25[0-5]|2[0-4]\d|1?\d\d?)(?:\.(?:25[0-5]|2[0-4]\d|1?\d\d?)){3}\b/,
]

const scannerOf = (anyDigit: boolean): Scanner =>
  new Scanner(PATTERNS.map((pattern, index) => ({ type: `p${index}`, pattern, anyDigit })))

describe('anyDigit', () => {
  const [exact, loose] = [scannerOf(false), scannerOf(true)]

  test('finds the same', () => {
    const piece = fc.constantFrom(...'0123456789', ' ', '/', '.', '-', 'a', '1', '2', '19', '200', '12')
    const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(loose.detect(text)).toEqual(exact.detect(text))
      }),
    )
  })

  test('needs fewer states for texts of digits', () => {
    const text = Array.from({ length: 2_000 }, (_, index) => (index * index * 7_919) % 100_003).join(' ')
    for (const scanner of [exact, loose]) scanner.detect(text)
    const [many, few] = [exact, loose].map(({ machine }) => machine.automaton.states.length)
    expect(few).toBeLessThan((many as number) / 1.5)
  })
})
