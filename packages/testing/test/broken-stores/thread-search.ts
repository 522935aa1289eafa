import type { SearchThreadsOptions, Store, ThreadHit } from '@millrace/core'
import type { BrokenStores } from './broken-store.ts'

/** Changes what a search for threads finds. */
const finding = (
  store: Store,
  change: (hits: ThreadHit[], options: SearchThreadsOptions) => ThreadHit[] | Promise<ThreadHit[]>,
): Partial<Store> => ({
  searchThreads: async (options) => change(await store.searchThreads(options), options),
})

export const threadSearch: BrokenStores = {
  'finds titles only as they are written': {
    breaks: [],
    mistake: (store) =>
      finding(store, (hits, { query }) =>
        hits.filter(
          ({ thread, messageId }) =>
            messageId !== undefined ||
            query === undefined ||
            query.split(' ').some((word) => thread.title?.includes(word)),
        ),
      ),
  },
  'searches titles and no messages': {
    breaks: [],
    mistake: (store) => finding(store, (hits) => hits.filter(({ messageId }) => messageId === undefined)),
  },
  'names the first message that matches, and not the best': {
    breaks: [],
    mistake: (store) =>
      finding(store, (hits) => hits.map((hit) => ({ ...hit, ...(hit.messageId && { messageId: 'a' }) }))),
  },
  'gives the threads with the best titles last': {
    breaks: [],
    mistake: (store) =>
      finding(store, (hits, { query }) =>
        query === undefined ? hits : hits.toSorted((left, right) => left.score - right.score),
      ),
  },
  'gives the threads found by id': {
    breaks: [],
    mistake: (store) =>
      finding(store, (hits) => hits.toSorted((left, right) => (left.thread.id < right.thread.id ? -1 : 1))),
  },
  'finds threads without their state': {
    breaks: [],
    mistake: (store) =>
      finding(store, (hits) =>
        hits.map(({ thread, ...hit }) => ({ ...hit, thread: { ...thread, state: {} } })),
      ),
  },
  'gives ten threads where no limit is given': {
    breaks: [],
    mistake: (store) => ({ searchThreads: (options) => store.searchThreads({ limit: 10, ...options }) }),
  },
  'compares the metadata of threads as text': {
    breaks: [],
    mistake: (store) => ({
      searchThreads: async ({ metadata = {}, ...options }) =>
        (await store.searchThreads(options)).filter(({ thread }) =>
          Object.entries(metadata).every(([name, value]) => String(thread.metadata[name]) === String(value)),
        ),
    }),
  },
  'keeps the titles that threads had': {
    breaks: [],
    mistake: (store) => {
      const titles: { threadId: string; resourceId: string | undefined; title: string }[] = []
      return {
        saveThread: (options) => {
          const { threadId, resourceId, title } = options
          if (title) titles.push({ threadId, resourceId, title })
          return store.saveThread(options)
        },
        searchThreads: async (options) => {
          const hits = await store.searchThreads(options)
          for (const { threadId, resourceId, title } of titles) {
            if (resourceId !== options.resourceId || hits.some(({ thread }) => thread.id === threadId))
              continue
            const words = options.query?.toLowerCase().split(' ') ?? []
            const thread = await store.getThread({ threadId, resourceId })
            if (thread && words.some((word) => word !== '' && title.toLowerCase().includes(word)))
              hits.push({ thread, score: 1 })
          }
          return hits
        },
      }
    },
  },
  'takes a query for threads for syntax': {
    breaks: [],
    mistake: (store) => ({
      searchThreads: (options) =>
        /["*:()']/.test(options.query ?? '')
          ? Promise.reject(new Error('syntax error'))
          : store.searchThreads(options),
    }),
  },
  'finds all threads where a query has no word': {
    breaks: [],
    mistake: (store) => ({
      searchThreads: ({ query, ...options }) =>
        store.searchThreads({
          ...options,
          ...(query !== undefined && /[\p{L}\p{N}]/u.test(query) && { query }),
        }),
    }),
  },
  'takes a limit for threads that cannot be': {
    breaks: [],
    mistake: (store) => ({
      searchThreads: ({ limit, ...options }) =>
        store.searchThreads({
          ...options,
          ...(limit !== undefined && limit >= 1 && { limit: Math.floor(limit) }),
        }),
    }),
  },
  'leaves out threads whose words nearly all have': {
    breaks: [],
    mistake: (store) => finding(store, (hits) => hits.filter(({ thread }) => thread.messageCount < 30)),
  },
  'finds threads of all resources': {
    breaks: [],
    mistake: (store) => {
      const owners = new Set<string | undefined>()
      return {
        saveThread: (options) => {
          owners.add(options.resourceId)
          return store.saveThread(options)
        },
        saveMessages: (options) => {
          owners.add(options.resourceId)
          return store.saveMessages(options)
        },
        searchThreads: async ({ resourceId, ...options }) => {
          const own = await store.searchThreads({ ...options, resourceId })
          const others = [...owners].filter((owner) => owner !== resourceId)
          const found = await Promise.all(
            others.map((owner) => store.searchThreads({ ...options, resourceId: owner })),
          )
          return [...own, ...found.flat()]
        },
      }
    },
  },
}
