import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atOnce } from '../task.ts'
import { base64Of, bytesOf, isBase64, isStandardBase64 } from './base64.ts'

test('writes the base64 of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
      expect(base64Of(text)).toBe(Buffer.from(text).toString('base64'))
      expect(isStandardBase64(base64Of(text))).toBe(true)
    }),
  )
})

test('reads whatever the AI SDK decodes, as the same bytes', () => {
  const character = fc.constantFrom(...'ABab019+/-_', '=', '==', ' ', '\n', '*', 'é')
  fc.assert(
    fc.property(fc.array(character, { maxLength: 24 }), (characters) => {
      const text = characters.join('')
      let decoded: string
      try {
        decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
      } catch {
        expect(isStandardBase64(text)).toBe(false)
        return
      }
      expect(isBase64(text)).toBe(true)
      expect(Buffer.from(atOnce(bytesOf(text))).toString('latin1')).toBe(decoded)
    }),
    { numRuns: 2_000 },
  )
})

test('reads long base64, whole and its beginning', () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 31) % 256)
  const base64 = Buffer.from(bytes).toString('base64')
  expect(atOnce(bytesOf(base64))).toEqual(bytes)
  expect(atOnce(bytesOf(base64, 4_096))).toEqual(bytes.subarray(0, 3_072))
  expect(atOnce(bytesOf(bytes, 4_096))).toEqual(bytes.subarray(0, 3_072))
})
