import type { Store } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

const oneByOne =
  (store: Store, between: () => Promise<void>): Store['saveMessages'] =>
  async (options) => {
    const { messages, deleteAfter, blobs = [], ...rest } = options
    let thread = await store.saveMessages({ ...rest, deleteAfter, messages: [] })
    for (const message of messages) {
      await between()
      thread = await store.saveMessages({
        threadId: options.threadId,
        resourceId: options.resourceId,
        messages: [message],
        blobs: blobs.filter(({ messageId }) => messageId === message.id),
      })
    }
    return thread
  }

export const transactions: BrokenStores = {
  'saves one message of a turn after the other': {
    breaks: [
      'reaches a consistent state under concurrent saves, edits and deletions',
      'saves all threads under concurrent writes',
      'saves complete turns under concurrent writes to one thread',
      'completes calls in flight when it closes',
      'refuses a blob that its message does not reference, and saves nothing',
      'refuses a message with more than a mebibyte of text, and saves no other message of the turn',
      'refuses ids that it cannot store',
      'saves no message of a turn if one is invalid',
    ],
    mistake: (store) => ({ saveMessages: oneByOne(store, async () => {}) }),
  },
  'lets others come between two messages of a turn': {
    breaks: [
      'reaches a consistent state under concurrent saves, edits and deletions',
      'saves all threads under concurrent writes',
      'saves complete turns under concurrent writes to one thread',
      'completes calls in flight when it closes',
      'refuses a blob that its message does not reference, and saves nothing',
      'refuses a message with more than a mebibyte of text, and saves no other message of the turn',
      'refuses ids that it cannot store',
      'saves no message of a turn if one is invalid',
      'shows no incomplete turn to concurrent readers',
    ],
    mistake: (store) => ({ saveMessages: oneByOne(store, pause) }),
  },
  'changes the title of a thread before it reads the rest': {
    breaks: [
      'changes a thread only in the expected version',
      'changes nothing of a thread or resource if a change is invalid',
      'keeps the fields of a thread that a change does not set',
    ],
    mistake: (store) => ({
      saveThread: async (options) => {
        const { threadId, resourceId, title } = options
        if (title !== undefined && (await store.getThread(options)))
          await store.saveThread({ threadId, resourceId, title })
        return store.saveThread(options)
      },
    }),
  },
  'loses what another writes to it at the same time': {
    breaks: [
      'reaches a consistent state under concurrent saves, edits and deletions',
      'saves all threads under concurrent writes',
      'saves complete turns under concurrent writes to one thread',
      'leaves no data of a resource that is deleted during writes',
      'completes calls in flight when it closes',
      'shows no incomplete turn to concurrent readers',
    ],
    mistake: (store) => {
      let writing = 0
      return {
        saveMessages: async (options) => {
          const alone = writing++ % 2 === 0
          await pause()
          writing--
          const { threadId, resourceId } = options
          return alone
            ? store.saveMessages(options)
            : store.saveMessages({ threadId, resourceId, messages: [] })
        },
      }
    },
  },
  'strips what it cannot write': {
    breaks: ['returns every text as it was saved'],
    mistake: (store) => ({
      saveMessages: (options) =>
        store.saveMessages({
          ...options,
          messages: options.messages.map((message) => {
            if (!Array.isArray(message.content?.parts)) return message
            const parts = message.content.parts.map((part) =>
              part.type === 'text' ? { ...part, text: part.text.replaceAll('\0', '') } : part,
            )
            return { ...message, content: { ...message.content, parts } }
          }),
        }),
    }),
  },
  'keeps half characters in titles': {
    breaks: ['returns a title as it was saved, with lone surrogates replaced'],
    mistake: (store) => ({
      getThread: async (key) => {
        const thread = await store.getThread(key)
        return thread?.title?.includes('\ufffd')
          ? { ...thread, title: thread.title.replaceAll('\ufffd', '') }
          : thread
      },
    }),
  },
  'rounds numbers': {
    breaks: ['returns every JSON value as it was saved'],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        const round = (_: string, value: unknown) =>
          typeof value === 'number' ? Number(value.toPrecision(7)) : value
        return {
          ...page,
          items: page.items.map((stored) => ({
            ...stored,
            message: {
              ...stored.message,
              content: JSON.parse(JSON.stringify(stored.message.content), round),
            },
          })),
        }
      },
    }),
  },
  'cuts long messages': {
    breaks: ['saves and finds messages of a megabyte'],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        for (const { message } of page.items) {
          for (const part of message.content.parts)
            if (part.type === 'text') part.text = part.text.slice(0, 65_535)
        }
        return page
      },
    }),
  },
  'leaves out messages that are too long': {
    breaks: [
      'refuses a blob that its message does not reference, and saves nothing',
      'refuses a message with more than a mebibyte of text, and saves no other message of the turn',
    ],
    mistake: (store) => ({
      saveMessages: (options) =>
        store.saveMessages(options).catch((error) => {
          if (error.code !== 'STORAGE_MESSAGE_TOO_LARGE') throw error
          return store.saveMessages({ ...options, messages: [], blobs: [] })
        }),
    }),
  },
  'takes no more values than a statement has room for': {
    breaks: ['saves a thousand messages in one call'],
    mistake: (store) => ({
      getMessages: async (options) => {
        if (options.messages.length > 999) throw new Error('too many SQL variables')
        return store.getMessages(options)
      },
    }),
  },
}
