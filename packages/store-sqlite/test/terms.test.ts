import type { Message } from '@millrace/core'
import { indexTerms } from '@millrace/core/storage'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const key = { threadId: 't', resourceId: 'ada' }

function message(id: string, text: string): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

test('every letter, digit and mark stays in its term', async () => {
  const database = new Database(':memory:')
  const store = new SQLiteStore({ database })
  const characters: string[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code))
  }
  const words = characters.filter((character) => /[\p{L}\p{N}\p{M}]/u.test(character))
  expect(words.length).toBeGreaterThan(140_000)
  const texts: string[] = []
  while (words.length > 0)
    texts.push(
      words
        .splice(0, 1_000)
        .map((word) => `q${word}q`)
        .join(' '),
    )
  await store.saveMessages({ ...key, messages: texts.map((text, index) => message(`${index}`, text)) })
  database.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, millrace_words, 'instance')")
  const indexed = database
    .prepare<[], { count: number }>(
      "SELECT count(*) AS count FROM vocabulary WHERE col = 'terms' GROUP BY doc ORDER BY doc",
    )
    .all()
  expect(indexed.map(({ count }) => count)).toEqual(texts.map((text) => indexTerms(text).length))
  await store.close()
})

test('a message is found by each of its terms', async () => {
  const store = new SQLiteStore({ path: ':memory:' })
  let count = 0
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
      const id = `${count++}`
      await store.saveMessages({ ...key, messages: [message(id, text)] })
      for (const query of indexTerms(text)) {
        // A term may be a word of its own that is cut, stemmed or folded further: what it becomes was not saved.
        if (indexTerms(query).join(' ') !== query) continue
        const found = await store.searchMessages({ ...key, query, limit: 10_000 })
        expect(found.some((hit) => hit.message.id === id)).toBe(true)
      }
    }),
    { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 20_000 : 200 },
  )
  await store.close()
})
