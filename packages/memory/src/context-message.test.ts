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
