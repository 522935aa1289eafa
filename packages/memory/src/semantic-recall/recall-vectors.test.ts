import { Agent, type Message } from '@millrace/core'
import { InMemoryStore, InMemoryVectorStore } from '@millrace/core/storage'
import { ScriptedModel } from '@millrace/testing'
import { beforeEach, expect, test, vi } from 'vitest'
import { ConceptEmbedder } from '../../test/concept-embedder.ts'
import { lines, saidByUser } from '../../test/texts.ts'
import { Memory } from '../memory.ts'
import { backfill } from './backfill.ts'

const key = { threadId: 'talk', resourceId: 'ada' }
const embedder = new ConceptEmbedder()

/** A store that has no vectors itself. */
class WithoutVectors extends InMemoryStore {
  override readonly capabilities = { search: true, vectors: false, blobs: true, persistent: false }
}

let storage: WithoutVectors
let vectors: InMemoryVectorStore
let memory: Memory

beforeEach(() => {
  storage = new WithoutVectors()
  vectors = new InMemoryVectorStore()
  memory = new Memory({ storage, lastMessages: false, semanticRecall: { embedder, vectors } })
})

test('vectors are stored and searched in a separate store, and messages come from the storage', async () => {
  const model = new ScriptedModel(['Nice.'], { repeat: 'last' })
  const agent = new Agent({ model, memory })
  await agent.generate('My puppy sleeps all day.', { ...key, threadId: 'before' })
  await agent.close()
  expect(await stored()).toBe(2)
  await agent.generate('Who owns a dog?', key)
  expect(JSON.stringify(model.lastPrompt)).toContain('My puppy sleeps all day.')
  const found = await memory.query({ ...key, query: 'a dog', messageRange: 0, topK: 4 })
  expect(lines(found)).toContain('user: My puppy sleeps all day.')
})

test('a filter excludes hits, and the others are still found', async () => {
  const messages = Array.from({ length: 30 }, (_, index) =>
    labelled(`A puppy, ${index}`, { wanted: index === 29 }),
  )
  await memory.saveMessages(messages, key)
  await backfill({ storage, embedder, vectors }, { resourceId: 'ada' })
  expect(await stored()).toBe(30)
  const filter = { metadata: { wanted: true } }
  const found = await memory.query({ ...key, query: 'dog', messageRange: 0, filter })
  expect(lines(found)).toEqual(['user: A puppy, 29'])
})

test('vectors are deleted with their messages, threads and resources', async () => {
  const ids = ['a', 'b', 'c', 'd']
  for (const threadId of ['talk', 'other']) {
    await memory.saveMessages(
      ids.map((id) => saidByUser(`The dog ${id}`, id)),
      { ...key, threadId },
    )
  }
  await backfill({ storage, embedder, vectors }, { resourceId: 'ada' })
  expect(await stored()).toBe(8)
  await memory.deleteMessages(['a', 'b'], key)
  await memory.saveMessages([saidByUser('Edited', 'c')], key)
  expect(await stored()).toBe(5)
  await memory.deleteThread(key)
  expect(await stored()).toBe(4)
  await memory.deleteResource({ resourceId: 'ada' })
  expect(await stored()).toBe(0)
})

test('a regenerated turn deletes the vectors of removed messages', async () => {
  const agent = new Agent({ model: new ScriptedModel(['The dog.', 'A puppy.', 'The cat.']), memory })
  const question = saidByUser('Which dog?', 'm1')
  await agent.generate([question], key)
  await agent.generate('And the puppy?', key)
  await agent.close()
  expect(await stored()).toBe(4)
  await agent.generate([{ ...question }], key)
  await agent.close()
  expect(await stored()).toBe(2)
})

test('a message that is deleted while it is embedded leaves no vector', async () => {
  const [message] = await memory.saveMessages([saidByUser('The dog')], key)
  const slow = {
    ...embedder,
    provider: 'example',
    modelId: 'slow',
    maxEmbeddingsPerCall: 10,
    doEmbed: async (options: { values: string[] }) => {
      await memory.deleteMessages(message?.id ?? '', key)
      return embedder.doEmbed(options)
    },
  }
  await backfill({ storage, embedder: slow, vectors }, key)
  expect(
    (await vectors.searchVectors({ resourceId: 'ada', model: 'example/slow', vector: await dog() })).length,
  ).toBe(0)
})

test('a copy of a thread has the vectors of its messages', async () => {
  await memory.saveMessages([saidByUser('The dog'), saidByUser('The car')], key)
  await backfill({ storage, embedder, vectors }, key)
  const asked = embedder.calls.length
  await memory.cloneThread({ ...key, newThreadId: 'copy' })
  expect(embedder.calls.length).toBe(asked)
  await memory.deleteThread(key)
  const found = await memory.query({ ...key, threadId: 'copy', query: 'puppy', topK: 1, messageRange: 0 })
  expect(lines(found)).toEqual(['user: The dog'])
})

test.each<[string, (at: { storage: WithoutVectors; vectors: InMemoryVectorStore }) => void]>([
  ['vectors', ({ vectors: at }) => vi.spyOn(at, 'copyVectors').mockRejectedValue(new Error('down'))],
  ['messages', ({ storage: at }) => vi.spyOn(at, 'saveMessages').mockRejectedValue(new Error('down'))],
  ['notes', ({ storage: at }) => vi.spyOn(at, 'getResource').mockRejectedValue(new Error('down'))],
])(
  'a failed copy leaves nothing, and the original is unchanged, if its %s cannot be stored',
  async (_, fail) => {
    await memory.saveMessages([saidByUser('The dog'), saidByUser('The car')], key)
    await backfill({ storage, embedder, vectors }, key)
    fail({ storage, vectors })
    await expect(memory.cloneThread({ ...key, newThreadId: 'copy' })).rejects.toThrow('down')
    vi.restoreAllMocks()
    expect(await memory.getThreadById({ ...key, threadId: 'copy' })).toBeUndefined()
    expect(await memory.getMessages(key)).toHaveLength(2)
    expect(await stored()).toBe(2)
    await memory.cloneThread({ ...key, newThreadId: 'copy' })
    expect(await stored()).toBe(4)
  },
)

test('throws on invalid options', () => {
  expect(() => new Memory({ storage, semanticRecall: { vectors } })).toThrow(
    /set without semanticRecall.embedder/,
  )
  expect(() => new Memory({ storage, semanticRecall: { embedder } })).toThrow(/set semanticRecall.vectors/)
})

async function dog(): Promise<readonly number[]> {
  return (await embedder.doEmbed({ values: ['dog'] })).embeddings[0] ?? []
}

async function stored(): Promise<number> {
  const model = `${embedder.provider}/${embedder.modelId}`
  return (await vectors.searchVectors({ resourceId: 'ada', model, vector: await dog(), limit: 100 })).length
}

function labelled(text: string, metadata: Record<string, unknown>): Message {
  const message = saidByUser(text)
  return { ...message, content: { ...message.content, metadata } }
}
