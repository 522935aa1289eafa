import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeClosingTag } from './context-message.ts'

const pieces = fc.array(fc.constantFrom('<', '/', ' ', '\n', 'notes', 'NOTES', 'a', '>'), { maxLength: 30 })

test('no element of the name begins or ends in an escaped text, and no other text is changed', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      const safe = escapeClosingTag(text, 'notes')
      expect(safe).not.toMatch(/<\s*\/?\s*notes/i)
      expect(safe.replaceAll('&lt;', '<')).toBe(text)
    }),
  )
})

test('white space behind a bracket is read once', () => {
  const timeOf = (text: string): number => {
    const begin = performance.now()
    escapeClosingTag(text, 'notes')
    return performance.now() - begin
  }
  const usual = Math.max(timeOf('<b> '.repeat(5_000)), 1)
  expect(timeOf(`<${' '.repeat(20_000)}`)).toBeLessThan(100 * usual)
})
