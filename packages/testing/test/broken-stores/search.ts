import type { MessageHit, SearchMessagesOptions, Store } from '@millrace/core'
import type { BrokenStores } from './broken-store.ts'

const textOf = ({ message }: MessageHit): string => JSON.stringify(message.content)

/** Changes the results of a search. */
const finding = (
  store: Store,
  change: (hits: MessageHit[], options: SearchMessagesOptions) => MessageHit[] | Promise<MessageHit[]>,
): Partial<Store> => ({
  searchMessages: async (options) => change(await store.searchMessages(options), options),
})

export const search: BrokenStores = {
  'searches though it says that it cannot': {
    breaks: [
      'finds threads by words in their messages, with the best matching message',
      'finds threads of one resource by words that nearly all of its messages have',
      'filters by exact values of metadata, including their type',
      'finds an edited message by its new words only',
      'finds messages by words, regardless of case, accents and endings',
      'finds words of scripts without spaces',
      'returns hits in the format of listed messages, with a score',
      'returns the newest of equal messages first, and ten without a limit',
      'ranks rare and repeated words, and short messages, first',
      'refuses invalid filters and limits',
      'scores by BM25 over the messages of the resource only',
      'searches only messages that match the filter',
      'searches user and assistant messages only',
      'treats no part of a query as syntax',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, search: false } }),
  },
  'finds words only as they are written': {
    breaks: [
      'finds messages by words, regardless of case, accents and endings',
      'treats no part of a query as syntax',
    ],
    mistake: (store) =>
      finding(store, (hits, { query }) =>
        hits.filter((hit) => query.split(' ').some((word) => textOf(hit).includes(word))),
      ),
  },
  'finds no words without spaces between them': {
    breaks: ['finds words of scripts without spaces'],
    mistake: (store) => finding(store, (hits, { query }) => (/\p{Script=Han}/u.test(query) ? [] : hits)),
  },
  'takes how rare a word is from all resources': {
    breaks: ['scores by BM25 over the messages of the resource only'],
    mistake: (store) => {
      let saved = 0
      return {
        saveMessages: (options) => {
          if (options.resourceId === 'bob') saved += options.messages.length
          return store.saveMessages(options)
        },
        searchMessages: async (options) =>
          (await store.searchMessages(options)).map((hit) => ({ ...hit, score: hit.score / (1 + saved) })),
      }
    },
  },
  'gives the newest hits first': {
    breaks: [
      'finds threads by words in their messages, with the best matching message',
      'ranks rare and repeated words, and short messages, first',
      'scores by BM25 over the messages of the resource only',
    ],
    mistake: (store) =>
      finding(store, (hits) =>
        hits.map((hit) => ({ ...hit, score: 1 })).toSorted((left, right) => right.sequence - left.sequence),
      ),
  },
  'gives of equal hits the oldest first': {
    breaks: ['returns the newest of equal messages first, and ten without a limit'],
    mistake: (store) =>
      finding(store, (hits) => hits.toReversed().toSorted((left, right) => right.score - left.score)),
  },
  'gives scores that are the better the smaller they are': {
    breaks: [
      'finds threads by words in their messages, with the best matching message',
      'returns hits in the format of listed messages, with a score',
      'ranks rare and repeated words, and short messages, first',
      'scores by BM25 over the messages of the resource only',
    ],
    mistake: (store) => finding(store, (hits) => hits.map((hit) => ({ ...hit, score: -hit.score }))),
  },
  'searches all that is in a message': {
    breaks: [
      'filters by exact values of metadata, including their type',
      'finds a long message only by its beginning',
      'searches only messages that match the filter',
      'searches user and assistant messages only',
      'treats no part of a query as syntax',
    ],
    mistake: (store) =>
      finding(store, async (hits, { query, ...options }) => {
        const threads = await store.listThreads({ resourceId: options.resourceId })
        const lists = threads.items.map(({ id }) =>
          store.listMessages({ resourceId: options.resourceId, threadId: id }),
        )
        const items = (await Promise.all(lists)).flatMap((page) => page.items)
        const more = items.filter(
          ({ message }) =>
            query !== '' &&
            JSON.stringify(message.content).includes(query) &&
            !hits.some((hit) => hit.message.id === message.id),
        )
        return [...hits, ...more.map((stored) => ({ ...stored, score: 0.001 }))].slice(0, options.limit ?? 10)
      }),
  },
  'searches the whole of long messages': {
    breaks: ['finds a long message only by its beginning'],
    mistake: (store) =>
      finding(store, async (hits, { query, resourceId }) => {
        const { items } = await store.listThreads({ resourceId })
        const lists = items.map(({ id }) => store.listMessages({ resourceId, threadId: id }))
        const long = (await Promise.all(lists))
          .flatMap((page) => page.items)
          .filter(({ message }) => {
            const text = JSON.stringify(message.content)
            return text.length > 32_768 && text.includes(query)
          })
        const known = hits.map(({ message }) => message.id)
        return [
          ...hits,
          ...long.flatMap((stored) => (known.includes(stored.message.id) ? [] : [{ ...stored, score: 0 }])),
        ]
      }),
  },
  'filters what it has found, after the limit': {
    breaks: ['searches only messages that match the filter'],
    mistake: (store) => ({
      searchMessages: async ({ threadId, role, ...options }) => {
        const hits = await store.searchMessages({
          ...options,
          ...(role !== 'user' && role !== 'assistant' && { role }),
        })
        return hits.filter(
          ({ message }) =>
            (threadId ?? message.threadId) === message.threadId && (role ?? message.role) === message.role,
        )
      },
    }),
  },
  'compares metadata as text': {
    breaks: ['filters by exact values of metadata, including their type'],
    mistake: (store) => ({
      searchMessages: async ({ metadata = {}, ...options }) => {
        await store.searchMessages({ ...options, metadata })
        const hits = await store.searchMessages({ ...options, limit: 1_000 })
        return hits
          .filter(({ message }) =>
            Object.entries(metadata).every(
              ([name, value]) => String(message.content.metadata?.[name]) === String(value),
            ),
          )
          .slice(0, options.limit ?? 10)
      },
    }),
  },
  'takes an asterisk for the end of any word': {
    breaks: ['refuses invalid filters and limits', 'treats no part of a query as syntax'],
    mistake: (store) => ({
      searchMessages: (options) =>
        store.searchMessages({ ...options, query: String(options.query).replace('umb*', 'umbrella') }),
    }),
  },
  'fails where a query is no syntax': {
    breaks: ['treats no part of a query as syntax'],
    mistake: (store) => ({
      searchMessages: async (options) => {
        if (String(options.query).split('"').length % 2 === 0) throw new Error('unterminated string')
        return store.searchMessages(options)
      },
    }),
  },
  'indexes what is saved, and forgets nothing': {
    breaks: [
      'changes and deletes nothing of another resource',
      'filters by exact values of metadata, including their type',
      'finds a long message only by its beginning',
      'finds a message once, however often it was saved',
      'finds an edited message by its new words only',
      'deletes messages that a repeated turn has removed',
      'returns the newest of equal messages first, and ten without a limit',
      'searches only messages that match the filter',
      'searches user and assistant messages only',
      'returns only the data of the resource, for any id',
      'treats no part of a query as syntax',
    ],
    mistake: (store) => {
      const saved: { threadId: string; id: string; resourceId: string | undefined; text: string }[] = []
      return {
        saveMessages: async (options) => {
          const thread = await store.saveMessages(options)
          const { threadId, resourceId } = options
          for (const message of options.messages)
            saved.push({ threadId, resourceId, id: message.id, text: JSON.stringify(message.content.parts) })
          return thread
        },
        searchMessages: async (options) => {
          const hits = await store.searchMessages(options)
          for (const { threadId, id, text, resourceId } of saved) {
            if (resourceId !== options.resourceId || !options.query || !text.includes(options.query)) continue
            const found = await store.getMessages({ resourceId, messages: [{ threadId, messageId: id }] })
            const times = hits.filter(
              ({ message }) => message.id === id && message.threadId === threadId,
            ).length
            const count = saved.filter(
              (other) => other.id === id && other.text.includes(options.query),
            ).length
            if (found[0] && times < count && count > 1) hits.push({ ...found[0], score: 1 })
            if (found[0] && times === 0) hits.push({ ...found[0], score: 1 })
          }
          return hits
        },
      }
    },
  },
  'takes filters that cannot be for none': {
    breaks: ['refuses invalid filters and limits'],
    mistake: (store) => ({
      searchMessages: (options) =>
        store
          .searchMessages(options)
          .catch(() => store.searchMessages({ resourceId: options.resourceId, query: 'umbrella' })),
    }),
  },
}
