import { type BrokenStores, pause } from './broken-store.ts'

export const threads: BrokenStores = {
  'forgets the state of a thread': {
    breaks: [
      'changes nothing of a thread or resource if a change is invalid',
      'returns a thread as it was saved',
      'returns every text as it was saved',
      'returns every JSON value as it was saved',
      'keeps the fields of a thread that a change does not set',
    ],
    mistake: (store) => ({ saveThread: ({ state: _, ...options }) => store.saveThread(options) }),
  },
  'makes up threads that nobody saved': {
    breaks: [
      'changes a thread only in the expected version',
      'deletes a thread with its messages and runs',
      'returns nothing if nothing was saved',
      'leaves out vectors of messages that were deleted, or have no text',
    ],
    mistake: (store) => ({
      getThread: async (key) =>
        (await store.getThread(key)) ?? {
          id: key.threadId,
          metadata: {},
          state: {},
          version: 0,
          messageCount: 0,
          createdAt: new Date(0),
          updatedAt: new Date(0),
        },
    }),
  },
  'replaces a thread as a whole': {
    breaks: ['keeps the fields of a thread that a change does not set'],
    mistake: (store) => ({
      saveThread: (options) => store.saveThread({ title: null, metadata: {}, state: {}, ...options }),
    }),
  },
  'takes an empty title for none': {
    breaks: [
      'returns empty metadata and no title if a thread has none',
      'returns a title as it was saved, with lone surrogates replaced',
    ],
    mistake: (store) => ({
      saveThread: (options) =>
        store.saveThread({ ...options, title: options.title === '' ? null : options.title }),
    }),
  },
  'counts every save of messages as a version': {
    breaks: [
      'changes nothing when a turn is saved again',
      'increments the version of a thread for changes, not for messages',
      'deletes a thread with its messages and runs',
      'saves complete turns under concurrent writes to one thread',
      'leaves no data of a resource that is deleted during writes',
      'completes calls in flight when it closes',
      'creates the thread with its first messages, and counts them',
    ],
    mistake: (store) => ({
      saveMessages: async (options) => {
        await store.saveMessages(options)
        return store.saveThread({ threadId: options.threadId, resourceId: options.resourceId })
      },
    }),
  },
  'ignores the version that is expected': {
    breaks: [
      'changes a thread only in the expected version',
      'changes nothing of a thread or resource if a change is invalid',
      'accepts one of many concurrent changes of a version',
    ],
    mistake: (store) => ({
      saveThread: async (options) => store.saveThread({ ...options, ifVersion: undefined }),
    }),
  },
  'compares the version of a thread in one step and writes in another': {
    breaks: ['accepts one of many concurrent changes of a version'],
    mistake: (store) => ({
      saveThread: async (options) => {
        const found = (await store.getThread(options))?.version ?? 0
        if (options.ifVersion !== undefined && found !== options.ifVersion) return store.saveThread(options)
        await pause()
        return store.saveThread({ ...options, ifVersion: undefined })
      },
    }),
  },
  'lists threads by id': {
    breaks: [
      'lists threads by their last update or creation, newest first',
      'keeps pages of threads stable when threads are added',
    ],
    mistake: (store) => ({
      listThreads: async (options) => {
        const page = await store.listThreads(options)
        return { ...page, items: page.items.toSorted((left, right) => (left.id < right.id ? -1 : 1)) }
      },
    }),
  },
  'pages through threads with OFFSET': {
    breaks: ['keeps pages of threads stable when threads are added'],
    mistake: (store) => ({
      listThreads: async ({ cursor, limit = 100, ...options }) => {
        await store.listThreads({ ...options, limit, cursor })
        const all = await store.listThreads({ ...options, limit: 10_000 })
        const start = cursor === undefined ? 0 : Number.parseInt(cursor.slice(1), 36)
        const items = all.items.slice(start, start + limit)
        const more = start + limit < all.items.length
        return { items, ...(more && { nextCursor: `c${(start + limit).toString(36)}` }) }
      },
    }),
  },
  'always gives a next page of threads': {
    breaks: ['returns no cursor on the last page'],
    mistake: (store) => ({
      listThreads: async (options) => {
        const page = await store.listThreads(options)
        return page.items.length > 0 ? { nextCursor: 'c1', ...page } : page
      },
    }),
  },
}
