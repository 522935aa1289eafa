import type { VectorStore } from '@millrace/core'
import { InMemoryVectorStore } from '@millrace/core/storage'
import { testVectorStore } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { VECTOR_STORE_RULES } from '../src/storage/vector-store-rules.ts'

testVectorStore('memory', { create: () => new InMemoryVectorStore() })

const ORDER = 'finds vectors by cosine similarity, best first'
const LIMITS = 'returns at most the limit, and nothing below the minimum score'
const APART = 'keeps resources, threads and models apart, for any names'
const REPLACES = 'replaces the vector of a message, for any model'
const FORGETS = 'deletes vectors of messages, of a thread and of a resource'
const KEEPS = 'deletes the vectors of all threads only if they are asked for'
const COPIES = 'copies vectors to another thread of the resource'
const REFUSES = 'refuses invalid vectors'

const broken: Record<string, { breaks: string[]; mistake: (store: VectorStore) => Partial<VectorStore> }> = {
  'gives the worst first': {
    breaks: [COPIES, LIMITS, ORDER],
    mistake: (store) => ({
      searchVectors: async (query) =>
        (await store.searchVectors({ ...query, limit: 1_000 })).reverse().slice(0, query.limit ?? 10),
    }),
  },
  'knows no lowest score': {
    breaks: [LIMITS],
    mistake: (store) => ({ searchVectors: ({ minScore: _, ...query }) => store.searchVectors(query) }),
  },
  'takes capitals for small letters': {
    breaks: [APART],
    mistake: (store) => ({
      saveVectors: (options) =>
        store.saveVectors({ ...options, resourceId: options.resourceId?.toLowerCase() }),
    }),
  },
  'keeps the old vector beside the new': {
    breaks: [REPLACES],
    mistake: (store) => ({
      saveVectors: (options) =>
        store.saveVectors({
          ...options,
          vectors: options.vectors.map((each) => ({ ...each, messageId: each.messageId })),
          threadId: options.model === 'other' ? `${options.threadId} ` : options.threadId,
        }),
    }),
  },
  'copies nothing': { breaks: [COPIES], mistake: () => ({ copyVectors: async () => {} }) },
  'moves what it copies': {
    breaks: [COPIES],
    mistake: (store) => ({
      copyVectors: async (options) => {
        await store.copyVectors(options)
        const { resourceId, from } = options
        const messageIds = from.messages.map(({ originalId }) => originalId)
        await store.deleteVectors({ resourceId, threadId: from.threadId, messageIds })
      },
    }),
  },
  'deletes nothing': { breaks: [FORGETS, KEEPS], mistake: () => ({ deleteVectors: async () => {} }) },
  'deletes more than it is told': {
    breaks: [FORGETS],
    mistake: (store) => ({
      deleteVectors: (options) =>
        store.deleteVectors(
          'threadId' in options && !('allThreads' in options)
            ? { resourceId: options.resourceId, threadId: options.threadId }
            : options,
        ),
    }),
  },
  'takes a missing thread for every thread': {
    breaks: [KEEPS],
    mistake: (store) => ({
      deleteVectors: (options) =>
        store.deleteVectors(
          'threadId' in options && options.threadId === undefined
            ? { resourceId: options.resourceId, allThreads: true }
            : options,
        ),
    }),
  },
  'leaves out what is no vector': {
    breaks: [REFUSES],
    mistake: (store) => ({ saveVectors: (options) => store.saveVectors(options).catch(() => undefined) }),
  },
}

describe('a vector store fails the rules it breaks, and no others, if it', () => {
  test.each(Object.entries(broken))('%s', async (_, { breaks, mistake }) => {
    const failed: string[] = []
    for (const [name, rule] of Object.entries(VECTOR_STORE_RULES)) {
      const store = new InMemoryVectorStore()
      const wrong: VectorStore = {
        saveVectors: (options) => store.saveVectors(options),
        searchVectors: (options) => store.searchVectors(options),
        copyVectors: (options) => store.copyVectors(options),
        deleteVectors: (options) => store.deleteVectors(options),
        ...mistake(store),
      }
      await rule(wrong).catch(() => failed.push(name))
    }
    expect(failed.toSorted()).toEqual(breaks.toSorted())
  })
})
