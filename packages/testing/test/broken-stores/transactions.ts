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
      'comes to one end when saving, editing and deleting meet',
      'keeps every thread when many are written at once',
      'keeps every turn whole when many write to one thread',
      'lets calls in flight end as it closes',
      'refuses a blob that its message does not name, and saves nothing',
      'refuses a message with more than a mebibyte of text, and saves nothing beside it',
      'refuses ids that it cannot keep',
      'saves no message of a turn where one cannot be saved',
    ],
    mistake: (store) => ({ saveMessages: oneByOne(store, async () => {}) }),
  },
  'lets others come between two messages of a turn': {
    breaks: [
      'comes to one end when saving, editing and deleting meet',
      'keeps every thread when many are written at once',
      'keeps every turn whole when many write to one thread',
      'lets calls in flight end as it closes',
      'refuses a blob that its message does not name, and saves nothing',
      'refuses a message with more than a mebibyte of text, and saves nothing beside it',
      'refuses ids that it cannot keep',
      'saves no message of a turn where one cannot be saved',
      'shows no part of a turn to those who read while it is saved',
    ],
    mistake: (store) => ({ saveMessages: oneByOne(store, pause) }),
  },
  'changes the title of a thread before it reads the rest': {
    breaks: [
      'changes a thread only if it has the version that is expected',
      'changes nothing of a thread or resource where a change cannot be stored',
      'keeps of a thread what a change does not name',
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
      'comes to one end when saving, editing and deleting meet',
      'keeps every thread when many are written at once',
      'keeps every turn whole when many write to one thread',
      'leaves nothing of a resource that is deleted while it is written to',
      'lets calls in flight end as it closes',
      'shows no part of a turn to those who read while it is saved',
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
    breaks: ['gives back every text as it was saved'],
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
    breaks: ['gives back a title as it was saved, and mends half characters'],
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
    breaks: ['gives back every value JSON has'],
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
    breaks: ['keeps messages of a megabyte, and finds them'],
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
      'refuses a blob that its message does not name, and saves nothing',
      'refuses a message with more than a mebibyte of text, and saves nothing beside it',
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
    breaks: ['keeps a thousand messages saved at once'],
    mistake: (store) => ({
      getMessages: async (options) => {
        if (options.messages.length > 999) throw new Error('too many SQL variables')
        return store.getMessages(options)
      },
    }),
  },
}
