import { userMessage } from '@millrace/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutNearDuplicates } from './near-duplicates.ts'

test('six repetitions of a question leave room for its answer', () => {
  const askings = [
    'When is the dentist?',
    'when is the dentist',
    'When is the dentist?!',
    'So when is the dentist?',
    'When is the dentist, please?',
    'When was the dentist?',
  ]
  const shown = textsOf([...askings, 'The dentist is on Tuesday at nine.'], {
    text: 'When is the dentist?',
    count: 4,
  })
  expect(shown).toContain('The dentist is on Tuesday at nine.')
  expect(shown.filter((text) => /when/i.test(text)).length).toBeLessThanOrEqual(1)
})

test('texts with different numbers or content words are not duplicates', () => {
  const texts = [
    'The train to Lund leaves at 9 from platform 4, said the conductor.',
    'The train to Lund leaves at 8 from platform 4, said the conductor.',
    'My sister lives in Lund.',
    'My brother lives in Lund.',
    'Does my sister live in Lund?',
  ]
  expect(textsOf(texts)).toEqual(texts)
})

test('keeps the first of several duplicates, in order, and always at least one', () => {
  const word = fc.constantFrom('bees', 'ferry', 'noon', 'Lund', 'seven', 'wood', '7')
  const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(text), fc.nat(10), (texts, count) => {
      const shown = textsOf(texts, { count })
      expect(shown).toEqual([...new Set(texts)].filter((one) => shown.includes(one)))
      expect(shown.length).toBeLessThanOrEqual(count)
      expect(shown[0]).toBe(count === 0 ? undefined : texts[0])
      expect(textsOf(shown, { count })).toEqual(shown)
    }),
  )
})

function textsOf(
  texts: readonly string[],
  { text = '', count = 10 }: { text?: string; count?: number } = {},
): string[] {
  const hits = texts.map((said, sequence) => ({ message: userMessage(said), sequence }))
  return withoutNearDuplicates(hits, { text, count }).map(({ message }) => {
    const [part] = message.content.parts
    return part?.type === 'text' ? (part.text as string) : ''
  })
}
