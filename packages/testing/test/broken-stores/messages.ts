import type { Store } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

/** All messages of a thread. */
const listAll = async (store: Store, key: { threadId: string; resourceId?: string | undefined }) =>
  (await store.listMessages({ threadId: key.threadId, resourceId: key.resourceId, limit: 10_000 })).items

export const messages: BrokenStores = {
  'forgets the metadata of parts': {
    breaks: [
      'returns messages as they were saved, with their thread and resource',
      'saves no message of a turn if one is invalid',
    ],
    mistake: (store) => ({
      saveMessages: (options) => {
        const json = JSON.stringify(options.messages.map(({ content }) => content))
        const contents = JSON.parse(json, (name, value) => (name === 'providerMetadata' ? undefined : value))
        return store.saveMessages({
          ...options,
          messages: options.messages.map((message, index) => ({ ...message, content: contents[index] })),
        })
      },
    }),
  },
  'counts messages that it replaces once more': {
    breaks: [
      'changes nothing when a turn is saved again',
      'deletes a thread with its messages and runs',
      'creates the thread with its first messages, and counts them',
      'removes the messages after a given one when it saves a repeated turn',
      'replaces a message with the same id in its place',
    ],
    mistake: (store) => {
      const counts = new Map<string, number>()
      return {
        saveMessages: async (options) => {
          const thread = await store.saveMessages(options)
          const key = `${options.resourceId} ${options.threadId}`
          counts.set(key, (counts.get(key) ?? 0) + options.messages.length)
          return { ...thread, messageCount: counts.get(key) ?? 0 }
        },
      }
    },
  },
  'moves a message that it replaces to the end': {
    breaks: [
      'changes nothing when a turn is saved again',
      'increments the version of a thread for changes, not for messages',
      'deletes the vector of a message only if its text changes',
      'keeps a blob as long as its message references it',
      'leaves out messages below the minimum score, or excluded by the filter',
      'completes calls in flight when it closes',
      'creates the thread with its first messages, and counts them',
      'refuses a message with more than a mebibyte of text, and saves no other message of the turn',
      'refuses ids that it cannot store',
      'replaces a message with the same id in its place',
      'saves no message of a turn if one is invalid',
    ],
    mistake: (store) => ({
      saveMessages: async (options) => {
        await store.saveMessages({ ...options, messages: [], blobs: [] })
        const { threadId, resourceId, messages } = options
        await store.deleteMessages({ threadId, resourceId, messageIds: messages.map(({ id }) => id) })
        return store.saveMessages(options)
      },
    }),
  },
  'takes an id of a message for unique in a resource': {
    breaks: ['keeps messages with the same id in two threads apart', 'refuses ids that it cannot store'],
    mistake: (store) => ({
      deleteMessages: async (options) => {
        const threads = await store.listThreads({ resourceId: options.resourceId, limit: 1_000 })
        let count = 0
        for (const { id } of threads.items) count += await store.deleteMessages({ ...options, threadId: id })
        return count
      },
    }),
  },
  'takes messages for neighbours whose numbers are': {
    breaks: ['returns single messages with their neighbors, each once, grouped by thread'],
    mistake: (store) => ({
      getMessages: async ({ previous = 0, next = 0, ...options }) => {
        const found = await store.getMessages(options)
        const around = await store.getMessages({ ...options, previous, next })
        return around.filter(({ message, sequence }) =>
          found.some(
            (other) =>
              other.message.threadId === message.threadId &&
              sequence >= other.sequence - previous &&
              sequence <= other.sequence + next,
          ),
        )
      },
    }),
  },
  'keeps a turn that is done again': {
    breaks: [
      'deletes messages that a repeated turn has removed',
      'deletes blobs with their messages',
      'refuses ids that it cannot store',
      'removes the messages after a given one when it saves a repeated turn',
    ],
    mistake: (store) => ({ saveMessages: ({ deleteAfter: _, ...options }) => store.saveMessages(options) }),
  },
  'says that it deleted what was not there': {
    breaks: ['changes and deletes nothing of another resource', 'returns how many messages it removed'],
    mistake: (store) => ({
      deleteMessages: async (options) => {
        await store.deleteMessages(options)
        return options.messageIds.length
      },
    }),
  },
  'gives out the objects it holds': {
    breaks: ['stores copies, which later edits of the objects do not change'],
    mistake: (store) => {
      const held = new Map<string, Awaited<ReturnType<Store['listMessages']>>>()
      return {
        listMessages: async (options) => {
          const page = await store.listMessages(options)
          const key = JSON.stringify([options, page.items.map(({ sequence }) => sequence)])
          if (!held.has(key)) held.set(key, page)
          return held.get(key) ?? page
        },
      }
    },
  },
  'orders messages by their clocks': {
    breaks: ['keeps the order of saving if clocks run backwards'],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        const time = ({ message }: (typeof page.items)[number]): number => message.createdAt.getTime()
        const sign = options.order === 'desc' ? -1 : 1
        return { ...page, items: page.items.toSorted((left, right) => sign * (time(left) - time(right))) }
      },
    }),
  },
  'orders messages by their ids': {
    breaks: [
      'returns every text as it was saved',
      'returns every message once, page by page, forwards and backwards',
      'saves a thousand messages in one call',
      'keeps similar ids of threads, messages, keys and runs apart',
      'keeps the order of saving if timestamps are equal',
      'keeps pages stable when messages are added or removed between them',
      'misses no existing message when it reads during writes',
    ],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        const sign = options.order === 'desc' ? -1 : 1
        return {
          ...page,
          items: page.items.toSorted((left, right) => (left.message.id < right.message.id ? -sign : sign)),
        }
      },
    }),
  },
  'numbers messages by counting them': {
    breaks: ['gives messages increasing and unique numbers'],
    mistake: (store) => ({
      listMessages: async (options) => {
        const all = (await listAll(store, options)).map(({ message }) => message.id)
        const page = await store.listMessages(options)
        return {
          ...page,
          items: page.items.map(({ message }) => ({ message, sequence: all.indexOf(message.id) + 1 })),
        }
      },
    }),
  },
  'begins a page with the last of the one before': {
    breaks: [
      'returns a hundred messages without a limit',
      'returns every message once, page by page, forwards and backwards',
      'returns the messages before a given one, page by page, or all if it does not exist',
      'keeps pages stable when messages are added or removed between them',
      'misses no existing message when it reads during writes',
    ],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        const place =
          Number.parseInt(page.nextCursor?.slice(1) ?? '', 36) + (options.order === 'desc' ? 1 : -1)
        return page.nextCursor === undefined || options.limit === 1
          ? page
          : { ...page, nextCursor: `c${place.toString(36)}` }
      },
    }),
  },
  'begins at the end where it should before a message': {
    breaks: ['returns the messages before a given one, page by page, or all if it does not exist'],
    mistake: (store) => ({ listMessages: ({ before: _, ...options }) => store.listMessages(options) }),
  },
  'gives all messages where no limit is given': {
    breaks: ['returns a hundred messages without a limit'],
    mistake: (store) => ({ listMessages: (options) => store.listMessages({ limit: 10_000, ...options }) }),
  },
  'pages through messages with OFFSET': {
    breaks: ['keeps pages stable when messages are added or removed between them'],
    mistake: (store) => ({
      listMessages: async ({ cursor, limit = 100, ...options }) => {
        await store.listMessages({ ...options, cursor, limit })
        const { items: all } = await store.listMessages({ ...options, limit: 10_000 })
        const start = cursor === undefined ? 0 : Number.parseInt(cursor.slice(1), 36)
        const more = start + limit < all.length
        return {
          items: all.slice(start, start + limit),
          ...(more && { nextCursor: `c${(start + limit).toString(36)}` }),
        }
      },
    }),
  },
  'reads the number for a cursor after the page': {
    breaks: ['misses no existing message when it reads during writes'],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        if (page.nextCursor === undefined || options.order === 'desc') return page
        await pause()
        const last = (await listAll(store, options)).length
        const place = Math.max(Number.parseInt(page.nextCursor.slice(1), 36), last - 20)
        return last > 30 ? { ...page, nextCursor: `c${place.toString(36)}` } : page
      },
    }),
  },
  'takes a cursor or limit that cannot be for none': {
    breaks: ['refuses invalid cursors and limits'],
    mistake: (store) => ({
      listMessages: (options) =>
        store
          .listMessages(options)
          .catch(() => store.listMessages({ ...options, cursor: undefined, limit: undefined })),
    }),
  },
  'fails when two save the same at once': {
    breaks: ['completes calls in flight when it closes', 'saves a turn once if it is saved concurrently'],
    mistake: (store) => ({
      saveMessages: async (options) => {
        const before = new Set((await listAll(store, options)).map(({ message }) => message.id))
        await pause()
        const after = await listAll(store, options)
        const ids = new Set(options.messages.map(({ id }) => id))
        if (after.some(({ message }) => ids.has(message.id) && !before.has(message.id))) {
          throw new Error('UNIQUE constraint failed')
        }
        return store.saveMessages(options)
      },
    }),
  },
}
