import type { StreamKey } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

const ORDER = 'returns the chunks of a stream, in order, from any offset'
const AT_END = 'appends chunks at the current length only, and none after the end'
const ONE = 'accepts one of many concurrent appends at the same offset'
const TIME = 'deletes a stream when it expires, so that a new one can start'
const DELETES = 'deletes a stream, also with its thread or resource'
const OWNER = 'returns a stream to its resource only'
const LIMIT = 'stores streams of up to sixteen megabytes, measured in bytes'

export const streams: BrokenStores = {
  'counts offsets from 1': {
    breaks: [ORDER],
    mistake: (store) => ({
      readStream: ({ from = 0, ...options }) => store.readStream({ ...options, from: Math.max(from - 1, 0) }),
    }),
  },
  'adds chunks wherever it is told': {
    breaks: [AT_END],
    mistake: (store) => ({
      appendToStream: async (options) => {
        const { length = 0, ended } = (await store.readStream(keyOf(options))) ?? {}
        if (ended) return
        return store.appendToStream({ ...options, offset: length })
      },
    }),
  },
  'looks where a stream ends in one step and adds to it in another': {
    breaks: [ONE],
    mistake: (store) => ({
      appendToStream: async (options) => {
        const { length = 0, ended = false } = (await store.readStream(keyOf(options))) ?? {}
        if (length !== options.offset || ended) return store.appendToStream(options)
        await pause()
        const now = await store.readStream(keyOf(options))
        return store.appendToStream({ ...options, offset: now?.length ?? 0 })
      },
    }),
  },
  'keeps streams for ever': {
    breaks: [TIME],
    mistake: (store) => ({
      appendToStream: ({ expiresIn: _, ...options }) => store.appendToStream(options),
    }),
  },
  'keeps the streams of a thread that is deleted': {
    breaks: [DELETES],
    mistake: (store) => ({ appendToStream: ({ threadId: _, ...options }) => store.appendToStream(options) }),
  },
  'shows streams to those who name no resource': {
    breaks: [OWNER],
    mistake: (store) => ({
      readStream: async (options) =>
        (await store.readStream(options)) ??
        (options.resourceId === undefined ? store.readStream({ ...options, resourceId: 'ada' }) : undefined),
    }),
  },
  'drops chunks that are too many': {
    breaks: [LIMIT],
    mistake: (store) => ({
      appendToStream: (options) =>
        store.appendToStream(options).catch((error) => {
          if (error.code !== 'STORAGE_STREAM_TOO_LARGE') throw error
        }),
    }),
  },
}

function keyOf({ runId, resourceId }: StreamKey): StreamKey {
  return { runId, resourceId }
}
