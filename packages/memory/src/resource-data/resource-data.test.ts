import { type Message, type MessagePart, type Store, textOfParts } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { lines, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { watchStore } from '../../test/watched-store.ts'
import { Memory } from '../memory.ts'

const FILE = `data:image/png;base64,${Buffer.alloc(70_000, 7).toString('base64')}`
const from = { resourceId: 'ada' }
const to = { resourceId: 'ben' }
let storage: Store
let memory: Memory

beforeEach(() => {
  storage = new InMemoryStore()
  memory = memoryOn(storage)
})

test('an import restores files, facts and notes with their messages', async () => {
  await fill()
  const other = memoryOn(new InMemoryStore())
  const counts = await other.importResource(memory.exportResource(from), to)
  expect(counts).toEqual({ threads: 2, messages: 6 })
  const { items } = await other.getThreads(to)
  expect(items.map(({ id, title, metadata }) => ({ id, title, metadata }))).toEqual([
    { id: 'two', title: undefined, metadata: {} },
    { id: 'one', title: 'Bees', metadata: { pinned: true } },
  ])
  for (const threadId of ['one', 'two']) {
    const [before, after] = [
      await memory.getMessages({ ...from, threadId }),
      await other.getMessages({ ...to, threadId }),
    ]
    expect(after).toEqual(before.map((message) => ({ ...message, resourceId: 'ben' })))
  }
  expect(await other.getWorkingMemory({ ...to, threadId: 'one' })).toEqual({ name: 'Ada' })
  const notes = await other.getObservations({ ...to, threadId: 'one' })
  expect(notes).toEqual(await memory.getObservations({ ...from, threadId: 'one' }))
  // Notes go with their messages there too, and nothing is noted twice.
  expect(await other.observe({ ...to, threadId: 'one' })).toEqual(notes)
  await other.deleteMessages('c', { ...to, threadId: 'one' })
  const left = await other.observe({ ...to, threadId: 'one' })
  expect(left.map(({ text }) => text).toSorted()).toEqual(['a', 'd', 'e'])
  expect(JSON.stringify(await other.rememberMessages({ ...to, threadId: 'one' }))).not.toContain(
    'millrace-file',
  )
})

test('an export is read lazily, and can be imported in chunks of any size', async () => {
  await fill()
  const bytes = Buffer.from((await linesOf(memory)).join(''))
  const whole = memoryOn(new InMemoryStore())
  await whole.importResource([bytes])
  const wanted = await linesOf(whole)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40_000 }), fc.boolean(), async (size, asText) => {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      const other = memoryOn(new InMemoryStore())
      await other.importResource(asText ? [bytes.toString('utf8')] : pieces)
      expect(await linesOf(other)).toEqual(wanted)
    }),
    { numRuns: 8 },
  )
  const watched = watchStore(storage)
  const iterator = memoryOn(watched.storage).exportResource(from)[Symbol.asyncIterator]()
  await iterator.next()
  expect(watched.calls).toEqual([])
})

describe('an incomplete export is rejected, and nothing remains', () => {
  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['without its end', (given) => given.slice(0, -1), /its end is missing/],
    ['without a message', (given) => given.filter((line) => !line.includes('"id":"c"')), /lines are missing/],
    ['without its header', (given) => given.slice(1), /begin with a header/],
    [
      'of a later version',
      ([head = '', ...rest]) => [head.replace('"version":1', '"version":9'), ...rest],
      /version is 9/,
    ],
    ['cut within a line', (given) => [...given.slice(0, 4), '{"type":"mess'], /not JSON/],
    ['with a type that is none', (given) => [...given.slice(0, 3), '{"type":"vector"}'], /'vector'/],
    [
      'with a message that is none',
      (given) => [...given.slice(0, 3), '{"type":"message","id":1}'],
      /'message'/,
    ],
    [
      'with a message outside',
      ([head = '', ...rest]) => [head, ...rest.filter((line) => !line.includes('"thread"'))],
      /before its thread/,
    ],
    ['of nothing', () => [], /begin with a header/],
  ])('%s', async (_, change, message) => {
    await fill()
    const other = memoryOn(new InMemoryStore())
    const changed = change(await linesOf(memory)).map((line) => `${line.trim()}\n`)
    await expect(other.importResource(changed, to)).rejects.toMatchObject({
      code: 'STORAGE_INPUT_INVALID',
      message: expect.stringMatching(message),
    })
    expect((await other.getThreads(to)).items).toEqual([])
    expect(await other.storage.getResource(to)).toBeUndefined()
  })
})

test('an import does not overwrite data, and a rollback keeps the data of others', async () => {
  await fill()
  const given = await linesOf(memory)
  await expect(memory.importResource(given)).rejects.toMatchObject({ code: 'STORAGE_CONFLICT' })
  expect(await linesOf(memory)).toEqual(given)
  const results = await Promise.allSettled([
    memory.importResource(given, to),
    memory.importResource(given, to),
  ])
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await memory.getThreads(to)).items).toHaveLength(2)
  const cleo = { resourceId: 'cleo' }
  async function* withGuest() {
    yield given.slice(0, 5).join('')
    await memory.saveMessages([saidByUser('mine')], { ...cleo, threadId: 'own' })
    yield 'broken'
  }
  await expect(memory.importResource(withGuest(), cleo)).rejects.toThrow(/not JSON/)
  expect((await memory.getThreads(cleo)).items.map(({ id }) => id)).toEqual(['own'])
})

test('a deleted resource is empty', async () => {
  await fill()
  await memory.deleteResource(from)
  expect((await linesOf(memory)).map((line) => JSON.parse(line).type)).toEqual(['header', 'end'])
})

function memoryOn(store: Store): Memory {
  return new Memory({
    storage: store,
    workingMemory: { template: 'Name: {{name}}' },
    observations: {
      countTokens: (text) => text.length,
      observe: ({ messages }) =>
        messages.map((each) => ({ text: textOfParts(each.content.parts), messageIds: [each.id] })),
    },
  })
}

async function linesOf(of: Memory): Promise<string[]> {
  const found: string[] = []
  for await (const line of of.exportResource(from)) found.push(line)
  return found
}

/** A thread with notes of its first messages, places that are empty, and a file; and another thread. */
async function fill(): Promise<void> {
  const key = { ...from, threadId: 'one' }
  await memory.saveMessages(
    ['a', 'b', 'c', 'd'].map((id, index) => said(id, index)),
    key,
  )
  await memory.saveThread({ ...key, title: 'Bees', metadata: { pinned: true } })
  await memory.updateWorkingMemory({ name: 'Ada' }, key)
  await memory.deleteMessages('b', key)
  await memory.observe(key)
  await memory.saveMessages([said('e', 0), said('f', 1)], key)
  await memory.deleteMessages('f', key)
  await memory.observe(key)
  await memory.saveMessages([withFile(saidByUser('two', 'x')), saidByAssistant('three', 'y')], {
    ...from,
    threadId: 'two',
  })
  expect(lines(await memory.getMessages(key))).toHaveLength(4)
}

function said(id: string, index: number): Message {
  return index % 2 === 0 ? saidByUser(id, id) : saidByAssistant(id, id)
}

function withFile(message: Message): Message {
  const part: MessagePart = { type: 'file', mediaType: 'image/png', url: FILE }
  return { ...message, content: { parts: [...message.content.parts, part] } }
}
