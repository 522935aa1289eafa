import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SaidText } from './said-text.ts'

const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'ä', '🙂', '\0'), maxLength: 12 })

test('knows a text that begins with what was said, however that was cut', () => {
  fc.assert(
    fc.property(fc.array(texts), texts, (pieces, rest) => {
      const said = new SaidText()
      for (const piece of pieces) said.add(piece)
      expect(said.isStartOf(pieces.join('') + rest)).toBe(true)
      expect(said.length).toBe(pieces.join('').length)
    }),
  )
})

test('knows a text that begins otherwise', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const said = new SaidText()
      said.add(one)
      expect(said.isStartOf(other)).toBe(other.startsWith(one))
    }),
    { numRuns: 2_000 },
  )
})
