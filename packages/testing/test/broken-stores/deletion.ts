import type { Store } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

/** Finds vectors of messages that were deleted or changed. */
function survivingVectors(store: Store): Partial<Store> {
  const vectors: { threadId: string; resourceId: string | undefined; messageId: string; stored: unknown }[] =
    []
  return {
    saveVectors: async (options) => {
      await store.saveVectors(options)
      const { threadId, resourceId } = options
      const asked = options.vectors.map(({ messageId }) => ({ threadId, messageId }))
      for (const stored of await store.getMessages({ resourceId, messages: asked })) {
        vectors.push({ threadId, resourceId, messageId: stored.message.id, stored })
      }
    },
    searchVectors: async (options) => {
      const hits = await store.searchVectors(options)
      for (const { resourceId, threadId, messageId, stored } of vectors) {
        if (resourceId !== options.resourceId || hits.some(({ message }) => message.id === messageId))
          continue
        const [found] = await store.getMessages({ resourceId, messages: [{ threadId, messageId }] })
        if (!found) hits.push({ ...(stored as (typeof hits)[number]), score: -1 })
      }
      return hits
    },
  }
}

/** Deletes a thread's messages in two steps. */
async function halve(
  store: Store,
  key: { threadId: string; resourceId?: string | undefined },
): Promise<void> {
  const { items } = await store.listMessages({ ...key, limit: 10_000 })
  const messageIds = items.slice(items.length / 2).map(({ message }) => message.id)
  await store.deleteMessages({ ...key, messageIds })
  for (let turn = 0; turn < 50; turn++) await pause()
}

export const deletion: BrokenStores = {
  'deletes a thread in two steps': {
    breaks: ['deletes a thread atomically for concurrent readers'],
    mistake: (store) => ({
      deleteThread: async (key) => {
        await halve(store, key)
        return store.deleteThread(key)
      },
    }),
  },
  'deletes a resource in two steps': {
    breaks: ['deletes a resource atomically for concurrent readers'],
    mistake: (store) => ({
      deleteResource: async (key) => {
        const { items } = await store.listThreads(key)
        for (const { id } of items) await halve(store, { threadId: id, ...key })
        return store.deleteResource(key)
      },
    }),
  },
  'keeps the vectors of messages that are deleted': {
    breaks: [
      'changes and deletes nothing of another resource',
      'deletes a message from everything that could find it',
      'deletes a thread with its messages and runs',
      'deletes all data of a resource, and nothing else',
      'deletes messages that a repeated turn has removed',
      'deletes a resource atomically for concurrent readers',
      'deletes a thread atomically for concurrent readers',
    ],
    mistake: survivingVectors,
  },
  'keeps the vector of a message whose words have changed': {
    breaks: [
      'deletes the vector of a message only if its text changes',
      'completes calls in flight when it closes',
    ],
    mistake: (store) => {
      const kept = new Map<string, Parameters<Store['saveVectors']>[0]>()
      return {
        saveVectors: async (options) => {
          await store.saveVectors(options)
          for (const vector of options.vectors) kept.set(vector.messageId, { ...options, vectors: [vector] })
        },
        saveMessages: async (options) => {
          const asked = options.messages.filter(({ id }) => kept.get(id)?.threadId === options.threadId)
          const there = await store
            .getMessages({
              resourceId: options.resourceId,
              messages: asked.map(({ id }) => ({ threadId: options.threadId, messageId: id })),
            })
            .catch(() => [])
          const thread = await store.saveMessages(options)
          for (const { message } of there) {
            const vector = kept.get(message.id)
            if (vector && vector.resourceId === options.resourceId) await store.saveVectors(vector)
          }
          return thread
        },
      }
    },
  },
  'keeps the runs of a thread that is deleted': {
    breaks: ['deletes a thread with its messages and runs', 'deletes runs of a thread that was never saved'],
    mistake: (store) => {
      const runs = new Map<string, Parameters<Store['saveRun']>[0]>()
      return {
        saveRun: async (run, options) => {
          await store.saveRun(run, options)
          runs.set(run.runId, run)
        },
        deleteThread: async (key) => {
          const waiting = await store.listRuns({
            threadId: key.threadId,
            ...(key.resourceId && { resourceId: key.resourceId }),
          })
          const deleted = await store.deleteThread(key)
          for (const { runId } of waiting) {
            const run = runs.get(runId)
            if (
              run &&
              !(await store.getRun(runId, key.resourceId === undefined ? {} : { resourceId: key.resourceId }))
            )
              await store.saveRun(run)
          }
          return deleted
        },
      }
    },
  },
  'deletes runs only with a thread that was saved': {
    breaks: [
      'deletes a stream, also with its thread or resource',
      'deletes runs of a thread that was never saved',
    ],
    mistake: (store) => ({
      deleteThread: async (key) => ((await store.getThread(key)) ? store.deleteThread(key) : false),
    }),
  },
  'keeps the counters of a resource that is deleted': {
    breaks: ['deletes all data of a resource, and nothing else'],
    mistake: (store) => ({
      deleteResource: async (key) => {
        if (key.resourceId !== 'ada') return store.deleteResource(key)
        const { value } = await store.addToCounter({ ...key, key: 'tokens', amount: 0 })
        await store.deleteResource(key)
        await store.addToCounter({ ...key, key: 'tokens', amount: value })
      },
    }),
  },
}
