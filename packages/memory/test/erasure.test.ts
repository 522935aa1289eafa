import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Message, type Store, textOfParts } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { SQLiteStore } from '@millrace/store-sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backfill, Memory } from '../src/index.ts'
import { saidByUser } from './texts.ts'

const key = { threadId: 'talk', resourceId: 'ada' }
const WORD = 'XYLOPHONE-4711'
const FILE = 'MARIMBA-4711'
/** Of length 1, so that it is stored as it is. */
const VECTOR = [0.6, -0.8]

const stores: Record<string, (folder: string) => Store> = {
  sqlite: (folder) => new SQLiteStore({ path: join(folder, 'memory.db') }),
  libsql: (folder) => new LibSQLStore({ url: `file:${join(folder, 'memory.db')}` }),
}

describe.each(Object.entries(stores))('in the files of %s', (_, open) => {
  let folder: string
  let storage: Store
  let memory: Memory

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-erasure-'))
    storage = open(folder)
    await storage.migrate()
    memory = new Memory({
      storage,
      semanticRecall: { embedder },
      observations: {
        countTokens: (text) => text.length,
        observe: ({ messages }) => messages.map(({ content }) => ({ text: textOfParts(content.parts) })),
      },
    })
    await memory.saveMessages([withFile(saidByUser(WORD)), saidByUser('And then?')], key)
    await memory.saveMessages([saidByUser('Another')], { threadId: 'talk', resourceId: 'ben' })
    await backfill({ storage, embedder }, { resourceId: 'ada' })
    await memory.observe(key)
    await memory.cloneThread({ ...key, newThreadId: 'copy' })
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  test('text, words, file and vector exist before', async () => {
    await storage.close()
    expect(found(folder)).toEqual(['text', 'word', 'file', 'vector'])
  })

  test.each<[string, (memory: Memory) => Promise<unknown>]>([
    ['resource', (own) => own.deleteResource({ resourceId: 'ada' })],
    [
      'threads',
      async (own) => {
        await own.deleteThread(key)
        await own.deleteThread({ ...key, threadId: 'copy' })
      },
    ],
    [
      'messages',
      async (own) => {
        for (const threadId of ['talk', 'copy']) {
          const messages = await own.getMessages({ ...key, threadId })
          await own.deleteMessages(
            messages.map(({ id }) => id),
            { ...key, threadId },
          )
        }
      },
    ],
  ])('no byte remains after the %s and the copy are deleted', async (_what, remove) => {
    await remove(memory)
    await storage.close()
    expect(found(folder)).toEqual([])
  })
})

const embedder = {
  provider: 'example',
  modelId: 'embedding',
  maxEmbeddingsPerCall: 10,
  doEmbed: async ({ values }: { values: string[] }) => ({ embeddings: values.map(() => VECTOR) }),
}

function withFile(message: Message): Message {
  const data = Buffer.from(FILE.repeat(10_000)).toString('base64')
  message.content.parts.push({
    type: 'file',
    mediaType: 'text/plain',
    url: `data:text/plain;base64,${data}`,
  })
  return message
}

/** What the files of a folder have of what was said. */
function found(folder: string): string[] {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
  const wanted = {
    text: Buffer.from(WORD),
    word: Buffer.from('xylophon'),
    file: Buffer.from(FILE),
    vector: Buffer.from(Float32Array.from(VECTOR).buffer),
  }
  return Object.entries(wanted).flatMap(([name, bytes]) =>
    files.some((file) => file.includes(bytes)) ? [name] : [],
  )
}
