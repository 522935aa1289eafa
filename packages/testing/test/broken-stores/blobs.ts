import type { BrokenStores } from './broken-store.ts'

const BYTES = 'returns the exact bytes of blobs, in the requested order'
const OWNER = 'returns a blob to its resource and thread only'
const NAMED = 'keeps a blob as long as its message references it'
const DELETED = 'deletes blobs with their messages'
const REFUSED = 'refuses a blob that its message does not reference, and saves nothing'

export const blobs: BrokenStores = {
  'keeps blobs and says that it does not': {
    breaks: [BYTES, OWNER, NAMED, DELETED, REFUSED],
    mistake: (store) => ({ capabilities: { ...store.capabilities, blobs: false } }),
  },
  'keeps blobs as text': {
    breaks: [BYTES],
    mistake: (store) => ({
      getBlobs: async (options) =>
        (await store.getBlobs(options)).map((blob) => ({
          ...blob,
          data: new TextEncoder().encode(new TextDecoder().decode(blob.data)),
        })),
    }),
  },
  'shows blobs to those who name no resource': {
    breaks: [OWNER],
    mistake: (store) => ({
      getBlobs: async (options) => {
        const found = await store.getBlobs(options)
        if (found.length > 0 || options.resourceId !== undefined) return found
        return store.getBlobs({ ...options, resourceId: 'ada' })
      },
    }),
  },
  'keeps a blob with a message that was edited': {
    breaks: [NAMED],
    mistake: (store) => {
      const kept = new Map<string, Awaited<ReturnType<typeof store.getBlobs>>[number]>()
      return {
        saveMessages: async (options) => {
          const thread = await store.saveMessages(options)
          for (const blob of options.blobs ?? []) kept.set(blob.id, blob)
          return thread
        },
        getBlobs: async (options) => {
          const found = await store.getBlobs(options)
          if (options.resourceId !== 'ada' || options.threadId !== 'thread' || options.blobs.length !== 2)
            return found
          return options.blobs.flatMap((key) => kept.get(key.id) ?? [])
        },
      }
    },
  },
  'loses blobs when a message is saved again without them': {
    breaks: [NAMED],
    mistake: (store) => ({
      saveMessages: async (options) => {
        const { messages, blobs = [], resourceId, threadId } = options
        const refers = messages.filter(({ content }) => content?.parts?.some(({ type }) => type === 'file'))
        if (blobs.length > 0 || refers.length === 0) return store.saveMessages(options)
        const there = await store.getMessages({
          resourceId,
          messages: refers.map(({ id }) => ({ threadId, messageId: id })),
        })
        const emptied = there.map(({ message }) => ({ ...message, content: { parts: [] } }))
        if (emptied.length > 0) await store.saveMessages({ ...options, messages: emptied })
        return store.saveMessages(options)
      },
    }),
  },
  'keeps the blobs of messages that are deleted': {
    breaks: [DELETED],
    mistake: (store) => {
      const kept: { place: string; blob: Awaited<ReturnType<typeof store.getBlobs>>[number] }[] = []
      return {
        saveMessages: async (options) => {
          const thread = await store.saveMessages(options)
          const place = `${options.resourceId} ${options.threadId}`
          for (const blob of options.blobs ?? []) kept.push({ place, blob })
          return thread
        },
        getBlobs: async (options) => {
          if (options.blobs.length !== 8) return store.getBlobs(options)
          const place = `${options.resourceId} ${options.threadId}`
          return options.blobs.flatMap(
            (key) =>
              kept.find(
                ({ place: other, blob }) =>
                  other === place && blob.id === key.id && blob.messageId === key.messageId,
              )?.blob ?? [],
          )
        },
      }
    },
  },
  'leaves out blobs that it cannot keep': {
    breaks: [REFUSED],
    mistake: (store) => ({
      saveMessages: (options) =>
        store.saveMessages(options).catch(() => store.saveMessages({ ...options, blobs: [] })),
    }),
  },
}
