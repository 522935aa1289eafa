import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differenceOf } from './difference.ts'
import { ValueMask } from './hidden-values.ts'

const words = fc.array(fc.constantFrom('ada', 'mill', ' ', '\n', '[EMAIL]', 'a@b.example', '𝕏', '.', '"'), {
  maxLength: 40,
})
const texts = fc.oneof(
  words.map((list) => list.join('')),
  fc.string({ unit: 'grapheme' }),
)

test('same and removed parts are the first text, same and added parts the second', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const parts = differenceOf(before, after)
      const side = (left: string): string =>
        parts.flatMap(({ type, text }) => (type === left ? [] : [text])).join('')
      expect(side('added')).toBe(before)
      expect(side('removed')).toBe(after)
      for (const { text } of parts) expect(text).not.toBe('')
    }),
  )
})

test('hides values completely, and leaves all other text', () => {
  const values = fc.array(fc.stringMatching(/^[a-z@."\\]{4,12}$/), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(texts, texts, values, (before, after, hidden) => {
      const mask = new ValueMask(hidden.map((value) => ({ value, kind: 'email' })))
      const text = `${before}${hidden.join(' ')}${after}`
      for (const value of hidden) expect(mask.hide(text)).not.toContain(value)
      expect(mask.hide(JSON.stringify({ text }))).not.toContain(JSON.stringify(hidden[0]).slice(1, -1))
      const parts = mask.hideParts([{ type: 'same', text }], { revealed: true })
      expect(parts.map((part) => part.text).join('')).toBe(text)
    }),
  )
})
