import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeClosingTag } from './context-message.ts'

const pieces = fc.array(fc.constantFrom('<', '/', ' ', '\n', 'notes', 'NOTES', 'a', '>'), { maxLength: 30 })

test('an escaped text has no tag of the element, and is otherwise unchanged', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      const safe = escapeClosingTag(text, 'notes')
      expect(safe).not.toMatch(/<\s*\/?\s*notes/i)
      expect(safe.replaceAll('&lt;', '<')).toBe(text)
    }),
  )
})

test('white space after a bracket is scanned once', () => {
  // The least of several: other work only ever adds time.
  const timeOf = (text: string): number => {
    const times = [1, 2, 3, 4, 5].map(() => {
      const begin = performance.now()
      escapeClosingTag(text, 'notes')
      return performance.now() - begin
    })
    return Math.min(...times)
  }
  const usual = Math.max(timeOf('<b> '.repeat(5_000)), 1)
  expect(timeOf(`<${' '.repeat(20_000)}`)).toBeLessThan(100 * usual)
})
