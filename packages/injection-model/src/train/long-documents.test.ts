import { expect, test } from 'vitest'
import { longDocuments } from './long-documents.ts'

test('each document comes without an order, and again with one more paragraph, the order', () => {
  const rows = longDocuments(1)
  const pairs = Array.from({ length: rows.length / 2 }, (_, index) => rows.slice(2 * index, 2 * index + 2))
  for (const [clean, attacked] of pairs) {
    expect([clean?.label, attacked?.label]).toEqual([0, 1])
    const paragraphs = attacked?.text.split('\n\n') ?? []
    const without = paragraphs.map((_, index) => paragraphs.toSpliced(index, 1).join('\n\n'))
    const withoutTwo = paragraphs.map((_, index) => paragraphs.toSpliced(index, 2).join('\n\n'))
    // A mail's order has two paragraphs.
    expect([...without, ...withoutTwo]).toContain(clean?.text)
  }
})

test('the same seed gives the same documents', () => {
  expect(longDocuments(2)).toEqual(longDocuments(2))
  expect(longDocuments(2)).not.toEqual(longDocuments(3))
})
