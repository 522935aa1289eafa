import { type BrokenStores, pause } from './broken-store.ts'

export const threads: BrokenStores = {
  'forgets the state of a thread': {
    breaks: [
      'changes nothing of a thread or resource where a change cannot be stored',
      'gives back a thread as it was saved',
      'gives back every text as it was saved',
      'gives back every value JSON has',
      'keeps of a thread what a change does not name',
    ],
    mistake: (store) => ({ saveThread: ({ state: _, ...options }) => store.saveThread(options) }),
  },
  'makes up threads that nobody saved': {
    breaks: [
      'changes a thread only if it has the version that is expected',
      'forgets a deleted thread with its messages and runs',
      'has nothing where nothing was saved',
      'leaves out vectors of messages that are gone, or have no text',
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
    breaks: ['keeps of a thread what a change does not name'],
    mistake: (store) => ({
      saveThread: (options) => store.saveThread({ title: null, metadata: {}, state: {}, ...options }),
    }),
  },
  'takes an empty title for none': {
    breaks: [
      'gives a thread without title or metadata empty ones',
      'gives back a title as it was saved, and mends half characters',
    ],
    mistake: (store) => ({
      saveThread: (options) =>
        store.saveThread({ ...options, title: options.title === '' ? null : options.title }),
    }),
  },
  'counts every save of messages as a version': {
    breaks: [
      'changes nothing when a turn is saved again',
      'counts versions of a thread, and not its messages',
      'forgets a deleted thread with its messages and runs',
      'keeps every turn whole when many write to one thread',
      'leaves nothing of a resource that is deleted while it is written to',
      'lets calls in flight end as it closes',
      'makes the thread with its first messages, and counts them',
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
      'changes a thread only if it has the version that is expected',
      'changes nothing of a thread or resource where a change cannot be stored',
      'lets one of many change a version of a thread',
    ],
    mistake: (store) => ({
      saveThread: async (options) => store.saveThread({ ...options, ifVersion: undefined }),
    }),
  },
  'compares the version of a thread in one step and writes in another': {
    breaks: ['lets one of many change a version of a thread'],
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
      'lists threads by their last change, or by their creation, newest first',
      'lists threads page by page as the list was, however it grows',
    ],
    mistake: (store) => ({
      listThreads: async (options) => {
        const page = await store.listThreads(options)
        return { ...page, items: page.items.toSorted((left, right) => (left.id < right.id ? -1 : 1)) }
      },
    }),
  },
  'pages through threads with OFFSET': {
    breaks: ['lists threads page by page as the list was, however it grows'],
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
    breaks: ['gives no next page where there is none'],
    mistake: (store) => ({
      listThreads: async (options) => {
        const page = await store.listThreads(options)
        return page.items.length > 0 ? { nextCursor: 'c1', ...page } : page
      },
    }),
  },
}
