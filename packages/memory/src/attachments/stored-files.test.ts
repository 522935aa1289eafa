import { Agent, type Message, type MessagePart, type Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel } from '@millrace/testing'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { saidByUser } from '../../test/texts.ts'
import { Memory } from '../memory.ts'
import { fromBase64, toBase64 } from './base64.ts'

const key = { threadId: 'talk', resourceId: 'ada' }
const LARGE = pngOf(70_000, 7)
const SMALL = pngOf(60_000, 5)
let storage: Store
let memory: Memory

beforeEach(() => {
  storage = new InMemoryStore()
  memory = new Memory({ storage })
})

test('a large file is stored as a blob and read back unchanged', async () => {
  const agent = new Agent({ model: new ScriptedModel(['Nice.']), memory })
  await agent.generate([inlineFiles('m1', LARGE, SMALL, LARGE)], key)
  const [stored] = (await storage.listMessages(key)).items
  const urls = urlsOf(stored?.message)
  expect(urls[0]).toMatch(/^millrace-file:[0-9a-f]{64}$/)
  expect(urls[1]).toBe(SMALL)
  expect(urls[2]).toBe(urls[0])
  expect(urlsOf((await memory.getMessages(key))[0])).toEqual([LARGE, SMALL, LARGE])
  expect(urlsOf((await memory.listMessages({ ...key, files: 'reference' })).items[0])).toEqual(urls)
})

test('the model receives the files of the last turns, and the names of older files', async () => {
  const model = new ScriptedModel(['fine'], { repeat: 'last' })
  const agent = new Agent({ model, memory: new Memory({ storage, keepFiles: 2 }) })
  await agent.generate([inlineFiles('m1', LARGE)], key)
  const shown: (string | undefined)[] = []
  for (const text of ['two', 'three', 'four']) {
    await agent.generate(text, key)
    const [first] = model.lastPrompt
    const [, part] = (first?.content ?? []) as { type: string; text?: string }[]
    shown.push(part?.type === 'file' ? 'file' : part?.text)
  }
  expect(shown).toEqual([
    'file',
    'file',
    '[The file "p0.png" (image/png) was part of an earlier turn and is not shown again.]',
  ])
  expect(JSON.stringify(model.lastPrompt)).not.toContain('millrace-file:')
})

test('a reference that a client invents resolves to nothing and is not sent to the model', async () => {
  const model = new ScriptedModel(['fine'], { repeat: 'last' })
  const agent = new Agent({ model, memory })
  await agent.generate([inlineFiles('m1', LARGE)], key)
  const [secret = ''] = urlsOf((await storage.listMessages(key)).items[0]?.message)
  const thief = { ...key, resourceId: 'ben' }
  await memory.saveMessages([inlineFiles('m1', secret)], thief)
  await agent.generate('Show it', thief)
  expect(JSON.stringify(model.lastPrompt)).toContain('is not stored any more')
  expect(JSON.stringify(await memory.getMessages(thief))).not.toContain(LARGE)
})

test('files follow their message: edits, deletion and copies', async () => {
  await memory.saveMessages([inlineFiles('m1', LARGE), inlineFiles('m2', LARGE)], key)
  const [first] = (await storage.listMessages(key)).items
  const [, id = ''] = (urlsOf(first?.message)[0] ?? '').split(':')
  const there = async (threadId: string, ...messageIds: string[]): Promise<number> =>
    (await storage.getBlobs({ ...key, threadId, blobs: messageIds.map((messageId) => ({ messageId, id })) }))
      .length
  await memory.cloneThread({ ...key, newThreadId: 'copy' })
  const copies = await memory.getMessages({ ...key, threadId: 'copy' })
  expect(copies.map(urlsOf)).toEqual([[LARGE], [LARGE]])
  await memory.saveMessages([saidByUser('without', 'm1')], key)
  expect(await there('talk', 'm1', 'm2')).toBe(1)
  await memory.deleteThread(key)
  expect(await there('talk', 'm1', 'm2')).toBe(0)
  expect(await there('copy', ...copies.map((copy) => copy.id))).toBe(2)
})

test('with persist: step, and after a regenerated turn, a file is stored once and still exists', async () => {
  const own = new Memory({ storage, persist: 'step' })
  const agent = new Agent({ model: new ScriptedModel(['one', 'two']), memory: own })
  for (let time = 0; time < 2; time++) {
    await agent.generate([inlineFiles('m1', LARGE)], key)
    expect(urlsOf((await own.getMessages(key))[0])).toEqual([LARGE])
  }
})

test('other kinds of files are not changed', async () => {
  const urls = [
    'https://example.com/a.png',
    'data:,',
    `data:image/png;base64,${'*'.repeat(100_000)}`,
    'data:x',
  ]
  await memory.saveMessages([inlineFiles('m1', ...urls)], key)
  expect(urlsOf((await storage.listMessages(key)).items[0]?.message)).toEqual(urls)
  await memory.saveMessages([inlineFiles('m2', `data:text/plain,${'é'.repeat(40_000)}`)], key)
  const url = (await memory.getMessages(key)).flatMap((message) => urlsOf(message)).at(-1) ?? ''
  expect(Buffer.from(url.split(',')[1] ?? '', 'base64').toString('utf8')).toBe('é'.repeat(40_000))
})

test('a store without blobs keeps files in their messages', async () => {
  class WithoutBlobs extends InMemoryStore {
    override readonly capabilities = { search: true, vectors: true, blobs: false, persistent: false }
  }
  const own = new Memory({ storage: new WithoutBlobs() })
  await own.saveMessages([inlineFiles('m1', LARGE)], key)
  expect(urlsOf((await own.storage.listMessages(key)).items[0]?.message)).toEqual([LARGE])
})

test('Base64 round-trips for any length', async () => {
  const sizes = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 49_000, max: 49_300 }))
  await fc.assert(
    fc.asyncProperty(sizes, async (size) => {
      const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 31) % 256)
      const text = await toBase64(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64'))
      expect(Buffer.from(await fromBase64(text)).equals(Buffer.from(bytes))).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('throws on invalid options', () => {
  expect(() => new Memory({ storage, keepFiles: -1 })).toThrow(/keepFiles is -1/)
  expect(() => new Memory({ storage, maxInlineBytes: 0.5 })).toThrow(/maxInlineBytes is 0.5/)
})

function pngOf(size: number, byte: number): string {
  return `data:image/png;base64,${Buffer.alloc(size, byte).toString('base64')}`
}

function inlineFiles(id: string, ...urls: string[]): Message {
  const message = saidByUser('Look', id)
  const files = urls.map(
    (url, index): MessagePart => ({ type: 'file', mediaType: 'image/png', filename: `p${index}.png`, url }),
  )
  return { ...message, content: { parts: [...message.content.parts, ...files] } }
}

function urlsOf(message: Message | undefined): string[] {
  return (message?.content.parts ?? []).flatMap((part) =>
    part.type === 'file' ? [(part as { url: string }).url] : [],
  )
}
