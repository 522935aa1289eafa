import type { Store } from '@millrace/core'
import type { BrokenStores } from './broken-store.ts'

export const vectors: BrokenStores = {
  'searches by meaning though it says that it cannot': {
    breaks: [
      'compares no vectors of different models',
      'finds messages by cosine similarity, most similar first',
      'deletes the vector of a message only if its text changes',
      'copies vectors with their messages',
      'returns the newest of equally similar messages first, and ten without a limit',
      'leaves out vectors of messages that were deleted, or have no text',
      'leaves out messages below the minimum score, or excluded by the filter',
      'allows other dimensions of a model for each resource',
      'lists messages that have text and no vector of a model, page by page',
      'refuses invalid vectors',
      'accepts vectors of numbers and of 32-bit floats, large and small',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, vectors: false } }),
  },
  'gives copies no vectors': {
    breaks: ['copies vectors with their messages'],
    mistake: (store) => ({
      saveMessages: ({ vectorsFrom: _, ...options }) => store.saveMessages(options),
    }),
  },
  'gives copies vectors whatever their text': {
    breaks: ['copies vectors with their messages'],
    mistake: (store) => ({
      saveMessages: async ({ vectorsFrom, ...options }) => {
        const saved = await store.saveMessages(options)
        for (const { messageId, originalId } of vectorsFrom?.messages ?? []) {
          const vector = originalId === 'a' ? [1, 0] : [0, 1]
          await store.saveVectors({
            ...options,
            model: 'example-embedding',
            vectors: [{ messageId, vector }],
          })
        }
        return saved
      },
    }),
  },
  'compares vectors by their product, whatever their length': {
    breaks: [
      'finds messages by cosine similarity, most similar first',
      'refuses invalid vectors',
      'accepts vectors of numbers and of 32-bit floats, large and small',
    ],
    mistake: (store) => {
      const lengths = new Map<string, number>()
      return {
        saveVectors: (options) => {
          for (const { messageId, vector } of options.vectors) lengths.set(messageId, Math.hypot(...vector))
          return store.saveVectors(options)
        },
        searchVectors: async (options) =>
          (await store.searchVectors(options))
            .map((hit) => ({ ...hit, score: hit.score * (lengths.get(hit.message.id) ?? 1) }))
            .toSorted((left, right) => right.score - left.score),
      }
    },
  },
  'reads the memory behind a typed array': {
    breaks: ['accepts vectors of numbers and of 32-bit floats, large and small'],
    mistake: (store) => ({
      saveVectors: (options) =>
        store.saveVectors({
          ...options,
          vectors: options.vectors.map(({ messageId, vector }) => ({
            messageId,
            vector:
              vector instanceof Float32Array
                ? new Float32Array(vector.buffer).subarray(0, vector.length)
                : vector,
          })),
        }),
    }),
  },
  'gives of equal vectors the oldest first': {
    breaks: ['returns the newest of equally similar messages first, and ten without a limit'],
    mistake: (store) => ({
      searchVectors: async ({ limit, ...options }) =>
        (
          await store.searchVectors({
            ...options,
            limit: limit === undefined ? 1_000 : Math.max(limit, 1_000) || limit,
          })
        )
          .toReversed()
          .toSorted((left, right) => right.score - left.score)
          .slice(0, limit ?? 10),
    }),
  },
  'gives what is less alike than asked for': {
    breaks: ['leaves out messages below the minimum score, or excluded by the filter'],
    mistake: (store) => ({
      searchVectors: ({ minScore, ...options }) =>
        store.searchVectors({ ...options, ...(Number.isNaN(minScore) && { minScore }) }),
    }),
  },
  'compares vectors of different models': {
    breaks: [
      'changes and deletes nothing of another resource',
      'compares no vectors of different models',
      'lists messages that have text and no vector of a model, page by page',
      'deletes a thread atomically for concurrent readers',
      'returns only the data of the resource, for any id',
    ],
    mistake: (store) => ({
      saveVectors: (options) => store.saveVectors({ ...options, model: options.model && 'any' }),
      searchVectors: (options) => store.searchVectors({ ...options, model: options.model && 'any' }),
      listMessagesWithoutVector: (options) =>
        store.listMessagesWithoutVector({ ...options, model: options.model && 'any' }),
    }),
  },
  'stores vectors that cannot be compared': {
    breaks: [
      'refuses calls after it is closed',
      'refuses invalid vectors',
      'saves no vector if one is invalid',
    ],
    mistake: (store) => ({
      saveVectors: (options) => store.saveVectors(options).catch(() => {}),
    }),
  },
  'saves one vector after the other': {
    breaks: ['refuses invalid vectors', 'saves no vector if one is invalid'],
    mistake: (store) => ({
      saveVectors: async (options) => {
        if (options.vectors.length === 0) return store.saveVectors(options)
        for (const vector of options.vectors) await store.saveVectors({ ...options, vectors: [vector] })
      },
    }),
  },
  'fixes the dimensions of a model for all resources': {
    breaks: [
      'changes and deletes nothing of another resource',
      'deletes all data of a resource, and nothing else',
      'leaves out vectors of messages that were deleted, or have no text',
      'allows other dimensions of a model for each resource',
      'refuses invalid vectors',
    ],
    mistake: (store) => {
      const dimensions = new Map<string, number>()
      return {
        saveVectors: async (options) => {
          const [first] = options.vectors
          const known = dimensions.get(options.model) ?? first?.vector.length
          if (first && known !== first.vector.length) throw new Error('other dimensions')
          await store.saveVectors(options)
          if (first) dimensions.set(options.model, first.vector.length)
        },
      }
    },
  },
  'keeps vectors of messages for as long as they may come back': {
    breaks: [
      'deletes messages that a repeated turn has removed',
      'deletes the vector of a message only if its text changes',
      'leaves out vectors of messages that were deleted, or have no text',
    ],
    mistake: (store) => {
      const kept: Parameters<Store['saveVectors']>[0][] = []
      return {
        saveVectors: async (options) => {
          await store.saveVectors(options)
          kept.push(options)
        },
        saveMessages: async (options) => {
          const thread = await store.saveMessages(options)
          const ids = new Set(options.messages.map(({ id }) => id))
          for (const { threadId, resourceId, model, vectors } of kept) {
            if (threadId !== options.threadId || resourceId !== options.resourceId) continue
            const again = vectors.filter(({ messageId }) => ids.has(messageId))
            await store.saveVectors({ threadId, resourceId, model, vectors: again })
          }
          return thread
        },
      }
    },
  },
  'lists messages without a vector by OFFSET': {
    breaks: ['lists messages that have text and no vector of a model, page by page'],
    mistake: (store) => ({
      listMessagesWithoutVector: async ({ cursor, limit = 100, ...options }) => {
        const { items } = await store.listMessagesWithoutVector({ ...options, limit: 10_000 })
        const start = cursor === undefined ? 0 : Number(cursor)
        const more = start + limit < items.length
        return { items: items.slice(start, start + limit), ...(more && { nextCursor: `${start + limit}` }) }
      },
    }),
  },
}
