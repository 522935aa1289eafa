import { existsSync, statSync } from 'node:fs'
import type { Message } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const name = `millrace_libsql_size_${process.pid}`
afterEach(() => remove(name))

function message(id: string): Message {
  const text = `umbrella ${id} ${'x'.repeat(20_000)}`
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

const messages = (count: number, prefix: string): Message[] =>
  Array.from({ length: count }, (_, index) => message(`${prefix}${index}`))

const sizeOf = (end: string): number =>
  existsSync(pathOf(name) + end) ? statSync(pathOf(name) + end).size : 0

test('shrink() reduces the file and keeps its data', async () => {
  const store = new LibSQLStore({ url: `file:${pathOf(name)}` })
  await store.saveMessages({ threadId: 'stays', messages: messages(10, 'a') })
  for (let turn = 0; turn < 20; turn++) {
    await store.saveMessages({ threadId: 'goes', messages: messages(20, `b${turn}-`) })
  }
  await store.deleteThread({ threadId: 'goes' })
  const before = sizeOf('')
  await store.shrink()
  expect(sizeOf('')).toBeLessThan(before / 4)
  expect((await store.listMessages({ threadId: 'stays' })).items).toHaveLength(10)
  expect(await store.searchMessages({ query: 'umbrella' })).toHaveLength(10)
  await store.shrink()
  await store.close()
})
