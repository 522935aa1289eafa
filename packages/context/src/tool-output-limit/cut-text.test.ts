import { countTokens } from '@millrace/tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { characterBoundary, gapIn, type Kept, tokensUpTo } from './cut-text.ts'

const count = (text: string) => countTokens(text)
const any = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc
    .array(fc.constantFrom('a line of text\n', '😀', '\n', 'x'.repeat(50), ' '), { maxLength: 60 })
    .map((all) => all.join('')),
)
const kept = fc.constantFrom<Kept>('head', 'tail', 'head-tail')

describe('a cut', () => {
  test('leaves at most the token limit, whole characters, and the requested ends', async () => {
    await fc.assert(
      fc.asyncProperty(any, fc.integer({ min: 0, max: 120 }), kept, async (raw, limit, keep) => {
        const text = raw.toWellFormed()
        const { start, end } = await gapIn(text, { limit, keep, count })
        expect(start).toBeLessThanOrEqual(end)
        const [head, tail] = [text.slice(0, start), text.slice(end)]
        expect(head.isWellFormed() && tail.isWellFormed()).toBe(true)
        expect((await count(head)) + (await count(tail))).toBeLessThanOrEqual(limit)
        if (keep === 'head') expect(tail).toBe('')
        if (keep === 'tail') expect(head).toBe('')
      }),
      { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 150 },
    )
  })

  test('is at line breaks', async () => {
    const text = Array.from({ length: 500 }, (_, index) => `Line ${index} of the log.`).join('\n')
    const { start, end } = await gapIn(text, { limit: 200, keep: 'head-tail', count })
    expect(text.slice(0, start)).toMatch(/^Line 0 .*of the log\.$/s)
    expect(text.slice(end)).toMatch(/^Line \d+ of the log\..*Line 499 of the log\.$/s)
    expect(await count(text.slice(0, start))).toBeGreaterThan(80)
    expect(await count(text.slice(end))).toBeGreaterThan(80)
  })

  test('is found without counting all of a long text', async () => {
    let counted = 0
    const counting = (text: string) => {
      counted += text.length
      return count(text)
    }
    const text = 'The gate is open.\n'.repeat(1_000_000)
    expect(await tokensUpTo(text, 1_000, counting)).toBeGreaterThan(1_000)
    await gapIn(text, { limit: 1_000, keep: 'head-tail', count: counting })
    expect(counted).toBeLessThan(100_000)
  })
})

test('counts up to a limit, and a shorter text as a whole', async () => {
  const text = 'The gate is open.\n'.repeat(3_000)
  const whole = await count(text)
  expect(Math.abs((await tokensUpTo(text, whole * 2, count)) - whole)).toBeLessThan(10)
})

test('finds the next offset outside a surrogate pair', () => {
  const text = 'a😀b'
  expect([0, 1, 2, 3, 4].map((place) => characterBoundary(text, place))).toEqual([0, 1, 1, 3, 4])
  expect([0, 1, 2, 3, 4].map((place) => characterBoundary(text, place, 'up'))).toEqual([0, 1, 3, 3, 4])
  expect([characterBoundary(text, -5), characterBoundary(text, 99)]).toEqual([0, 4])
})
