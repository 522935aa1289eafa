import type { MessageHit, SearchMessagesOptions, Store } from '@millrace/core'
import type { BrokenStores } from './broken-store.ts'

const textOf = ({ message }: MessageHit): string => JSON.stringify(message.content)

/** Changes what a search finds. */
const finding = (
  store: Store,
  change: (hits: MessageHit[], options: SearchMessagesOptions) => MessageHit[] | Promise<MessageHit[]>,
): Partial<Store> => ({
  searchMessages: async (options) => change(await store.searchMessages(options), options),
})

export const search: BrokenStores = {
  'searches though it says that it cannot': {
    breaks: [
      'finds threads by the words of their messages, with the message that matches best',
      'finds threads of one resource by words that nearly all of its messages have',
      'filters by the values of metadata, by type and to the letter',
      'finds an edited message by its new words only',
      'finds messages by their words, whatever their case, accents and endings',
      'finds words of scripts without spaces',
      'gives hits as messages are listed, with a score',
      'gives of equal messages the newest first, and ten where no limit is given',
      'ranks rare and repeated words, and short messages, first',
      'refuses filters and limits that cannot be',
      'scores by BM25 over the messages of the resource, whoever else is there',
      'searches only what the filter lets through',
      'searches what the user and the assistant said, and nothing else',
      'takes nothing in a query for syntax',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, search: false } }),
  },
  'finds words only as they are written': {
    breaks: [
      'finds messages by their words, whatever their case, accents and endings',
      'takes nothing in a query for syntax',
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
    breaks: ['scores by BM25 over the messages of the resource, whoever else is there'],
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
      'finds threads by the words of their messages, with the message that matches best',
      'ranks rare and repeated words, and short messages, first',
      'scores by BM25 over the messages of the resource, whoever else is there',
    ],
    mistake: (store) =>
      finding(store, (hits) =>
        hits.map((hit) => ({ ...hit, score: 1 })).toSorted((left, right) => right.sequence - left.sequence),
      ),
  },
  'gives of equal hits the oldest first': {
    breaks: ['gives of equal messages the newest first, and ten where no limit is given'],
    mistake: (store) =>
      finding(store, (hits) => hits.toReversed().toSorted((left, right) => right.score - left.score)),
  },
  'gives scores that are the better the smaller they are': {
    breaks: [
      'finds threads by the words of their messages, with the message that matches best',
      'gives hits as messages are listed, with a score',
      'ranks rare and repeated words, and short messages, first',
      'scores by BM25 over the messages of the resource, whoever else is there',
    ],
    mistake: (store) => finding(store, (hits) => hits.map((hit) => ({ ...hit, score: -hit.score }))),
  },
  'searches all that is in a message': {
    breaks: [
      'filters by the values of metadata, by type and to the letter',
      'finds a long message by its beginning alone',
      'searches only what the filter lets through',
      'searches what the user and the assistant said, and nothing else',
      'takes nothing in a query for syntax',
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
    breaks: ['finds a long message by its beginning alone'],
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
    breaks: ['searches only what the filter lets through'],
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
    breaks: ['filters by the values of metadata, by type and to the letter'],
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
    breaks: ['refuses filters and limits that cannot be', 'takes nothing in a query for syntax'],
    mistake: (store) => ({
      searchMessages: (options) =>
        store.searchMessages({ ...options, query: String(options.query).replace('umb*', 'umbrella') }),
    }),
  },
  'fails where a query is no syntax': {
    breaks: ['takes nothing in a query for syntax'],
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
      'filters by the values of metadata, by type and to the letter',
      'finds a long message by its beginning alone',
      'finds a message once, however often it was saved',
      'finds an edited message by its new words only',
      'forgets messages that a turn done again has removed',
      'gives of equal messages the newest first, and ten where no limit is given',
      'searches only what the filter lets through',
      'searches what the user and the assistant said, and nothing else',
      'shows each resource its own and nothing else, whatever its id',
      'takes nothing in a query for syntax',
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
    breaks: ['refuses filters and limits that cannot be'],
    mistake: (store) => ({
      searchMessages: (options) =>
        store
          .searchMessages(options)
          .catch(() => store.searchMessages({ resourceId: options.resourceId, query: 'umbrella' })),
    }),
  },
}
