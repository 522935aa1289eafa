import { expect, test } from 'vitest'
import { longDocuments } from './long-documents.ts'

test('creates each document without an order and with it, as a paragraph or within one', () => {
  const rows = longDocuments(1)
  const pairs = Array.from({ length: rows.length / 2 }, (_, index) => rows.slice(2 * index, 2 * index + 2))
  let within = 0
  for (const [clean, attacked] of pairs) {
    expect([clean?.label, attacked?.label]).toEqual([0, 1])
    const [without, paragraphs] = [clean, attacked].map((row) => row?.text.split('\n\n') ?? []) as [
      string[],
      string[],
    ]
    const first = without.findIndex((paragraph, index) => paragraph !== paragraphs[index])
    const place = first < 0 ? without.length : first
    // The order of a mail has two paragraphs.
    const more = paragraphs.length - without.length
    const isWithin = more === 0
    if (isWithin) within++
    expect([0, 1, 2]).toContain(more)
    expect(paragraphs.slice(place + (isWithin ? 1 : more))).toEqual(without.slice(place + (isWithin ? 1 : 0)))
  }
  expect(within).toBeGreaterThan(0)
  expect(new Set(rows.map(({ lang }) => lang)).size).toBeGreaterThanOrEqual(14)
})

test('creates the same documents from the same seed', () => {
  expect(longDocuments(2)).toEqual(longDocuments(2))
  expect(longDocuments(2)).not.toEqual(longDocuments(3))
})
