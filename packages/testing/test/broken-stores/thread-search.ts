import type { SearchThreadsOptions, Store, ThreadHit } from '@millrace/core'
import type { BrokenStores } from './broken-store.ts'

/** Changes the results of a search for threads. */
const finding = (
  store: Store,
  change: (hits: ThreadHit[], options: SearchThreadsOptions) => ThreadHit[] | Promise<ThreadHit[]>,
): Partial<Store> => ({
  searchThreads: async (options) => change(await store.searchThreads(options), options),
})

export const threadSearch: BrokenStores = {
  'finds titles only as they are written': {
    breaks: [
      'finds threads by words in their titles, regardless of case, accents and endings',
      'returns complete threads, those with more words of the query in their title first',
      'treats no part of a query for threads as syntax',
    ],
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
    breaks: [
      'changes and deletes nothing of another resource',
      'finds threads by words in their messages, with the best matching message',
      'finds threads of one resource by words that nearly all of its messages have',
      'finds threads by their current words only',
    ],
    mistake: (store) => finding(store, (hits) => hits.filter(({ messageId }) => messageId === undefined)),
  },
  'names the first message that matches, and not the best': {
    breaks: [
      'finds threads by words in their messages, with the best matching message',
      'finds threads of one resource by words that nearly all of its messages have',
    ],
    mistake: (store) =>
      finding(store, (hits) => hits.map((hit) => ({ ...hit, ...(hit.messageId && { messageId: 'a' }) }))),
  },
  'gives the threads with the best titles last': {
    breaks: ['returns complete threads, those with more words of the query in their title first'],
    mistake: (store) =>
      finding(store, (hits, { query }) =>
        query === undefined ? hits : hits.toSorted((left, right) => left.score - right.score),
      ),
  },
  'gives the threads found by id': {
    breaks: [
      'returns all threads without a query, last updated first, and twenty without a limit',
      'returns complete threads, those with more words of the query in their title first',
    ],
    mistake: (store) =>
      finding(store, (hits) => hits.toSorted((left, right) => (left.thread.id < right.thread.id ? -1 : 1))),
  },
  'finds threads without their state': {
    breaks: ['returns complete threads, those with more words of the query in their title first'],
    mistake: (store) =>
      finding(store, (hits) =>
        hits.map(({ thread, ...hit }) => ({ ...hit, thread: { ...thread, state: {} } })),
      ),
  },
  'gives ten threads where no limit is given': {
    breaks: ['returns all threads without a query, last updated first, and twenty without a limit'],
    mistake: (store) => ({ searchThreads: (options) => store.searchThreads({ limit: 10, ...options }) }),
  },
  'compares the metadata of threads as text': {
    breaks: [
      'filters threads by exact values of metadata, including their type',
      'refuses an invalid search for threads',
    ],
    mistake: (store) => ({
      searchThreads: async ({ metadata = {}, ...options }) =>
        (await store.searchThreads(options)).filter(({ thread }) =>
          Object.entries(metadata).every(([name, value]) => String(thread.metadata[name]) === String(value)),
        ),
    }),
  },
  'keeps the titles that threads had': {
    breaks: [
      'filters threads by exact values of metadata, including their type',
      'finds threads by their current words only',
    ],
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
    breaks: ['treats no part of a query for threads as syntax'],
    mistake: (store) => ({
      searchThreads: (options) =>
        /["*:()']/.test(options.query ?? '')
          ? Promise.reject(new Error('syntax error'))
          : store.searchThreads(options),
    }),
  },
  'finds all threads where a query has no word': {
    breaks: ['treats no part of a query for threads as syntax'],
    mistake: (store) => ({
      searchThreads: ({ query, ...options }) =>
        store.searchThreads({
          ...options,
          ...(query !== undefined && /[\p{L}\p{N}]/u.test(query) && { query }),
        }),
    }),
  },
  'takes a limit for threads that cannot be': {
    breaks: ['refuses an invalid search for threads'],
    mistake: (store) => ({
      searchThreads: ({ limit, ...options }) =>
        store.searchThreads({
          ...options,
          ...(limit !== undefined && limit >= 1 && { limit: Math.floor(limit) }),
        }),
    }),
  },
  'leaves out threads whose words nearly all have': {
    breaks: ['finds threads of one resource by words that nearly all of its messages have'],
    mistake: (store) => finding(store, (hits) => hits.filter(({ thread }) => thread.messageCount < 30)),
  },
  'finds threads of all resources': {
    breaks: [
      'changes and deletes nothing of another resource',
      'returns all threads without a query, last updated first, and twenty without a limit',
      'returns only the data of the resource, for any id',
      'returns nothing to a resource with a similar id',
    ],
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
