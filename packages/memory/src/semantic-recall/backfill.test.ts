import { userMessage } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { expect, test } from 'vitest'
import { ConceptEmbedder } from '../../test/concept-embedder.ts'
import { backfill } from './backfill.ts'

const owner = { resourceId: 'ada' }

test('embeds what has no vector of this model, reports progress, and continues after an interruption', async () => {
  const storage = await filledStore()
  const embedder = new ConceptEmbedder({ maxEmbeddingsPerCall: 4 })
  const progress: number[] = []
  const controller = new AbortController()
  const broken = backfill(
    { storage, embedder },
    {
      ...owner,
      batchSize: 5,
      abortSignal: controller.signal,
      onProgress: ({ embedded }) => {
        progress.push(embedded)
        if (embedded === 10) controller.abort(new Error('Enough for now.'))
      },
    },
  )
  await expect(broken).rejects.toThrow('Enough for now.')
  expect(progress).toEqual([5, 10])
  expect(await backfill({ storage, embedder }, owner)).toEqual({ embedded: 13 })
  expect(await backfill({ storage, embedder }, owner)).toEqual({ embedded: 0 })
  expect(Math.max(...embedder.calls.map(({ length }) => length))).toBe(4)
})

test('after a change of the model everything is embedded again, and old vectors are ignored', async () => {
  const storage = await filledStore()
  await backfill({ storage, embedder: new ConceptEmbedder() }, owner)
  const other = new ConceptEmbedder({ modelId: 'concepts-2' })
  const search = () =>
    storage.searchVectors({ ...owner, model: 'scripted/concepts-2', vector: [1, 0, 0, 0, 0.1] })
  expect(await search()).toEqual([])
  expect(await backfill({ storage, embedder: other }, owner)).toEqual({ embedded: 23 })
  expect(await search()).toHaveLength(10)
})

test('does not touch other resources', async () => {
  const storage = await filledStore()
  const embedder = new ConceptEmbedder()
  expect(await backfill({ storage, embedder }, { resourceId: 'ben' })).toEqual({ embedded: 0 })
  expect(await backfill({ storage, embedder })).toEqual({ embedded: 0 })
})

async function filledStore(): Promise<InMemoryStore> {
  const storage = new InMemoryStore()
  for (const threadId of ['a', 'b']) {
    const count = threadId === 'a' ? 11 : 12
    const messages = Array.from({ length: count }, (_, index) => userMessage(`dog ${threadId} ${index}`))
    await storage.saveMessages({ threadId, ...owner, messages })
  }
  return storage
}
