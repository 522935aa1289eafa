import { MillraceError } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

export const lifetime: BrokenStores = {
  'says that it is persistent, and is not': {
    breaks: [
      'has what was stored when it is opened again, if it is persistent, and nothing if not',
      'is migrated by several at once',
      'lets calls in flight end as it closes',
      'numbers messages on when it is opened again, after the last were removed',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, persistent: true } }),
  },
  'goes on when it is closed': {
    breaks: ['does nothing more once it is closed'],
    mistake: () => ({ close: async () => {} }),
  },
  'drops calls in flight as it closes': {
    breaks: ['lets calls in flight end as it closes'],
    mistake: (store) => ({
      saveMessages: async (options) => {
        await pause()
        return store.saveMessages(options)
      },
    }),
  },
  'empties the database when it is migrated again': {
    breaks: ['changes nothing when it is migrated again'],
    mistake: (store) => {
      let migrated = false
      return {
        migrate: async () => {
          if (migrated) await store.deleteResource({ resourceId: 'ada' })
          migrated = true
        },
      }
    },
  },
  'cannot be migrated by two at once': {
    breaks: [
      'changes nothing when it is migrated again',
      'does nothing more once it is closed',
      'is migrated by several at once',
      'says that it must be migrated, or does so by itself',
    ],
    mistake: () => ({
      migrate: async () => {
        if (migrating) throw new Error('table threads already exists')
        migrating = true
        await pause()
        migrating = false
      },
    }),
  },
  'fails somehow where it was not migrated': {
    breaks: ['does nothing more once it is closed', 'says that it must be migrated, or does so by itself'],
    mistake: (store) => {
      let migrated = false
      return {
        migrate: async () => {
          migrated = true
        },
        saveMessages: async (options) => {
          if (!migrated) throw new MillraceError('STORAGE_FAILED', 'no such table: messages')
          return store.saveMessages(options)
        },
      }
    },
  },
}

let migrating = false

/** Of stores that keep their data by name. */
export const persistence: BrokenStores = {
  'says that it is not persistent, and is': {
    breaks: [
      'has what was stored when it is opened again, if it is persistent, and nothing if not',
      'is migrated by several at once',
      'numbers messages on when it is opened again, after the last were removed',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, persistent: false } }),
  },
  'numbers messages from what is there': {
    breaks: [
      'numbers messages on when it is opened again, after the last were removed',
      'numbers messages upwards, and gives no number twice',
    ],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        return { ...page, items: page.items.map((stored, index) => ({ ...stored, sequence: index + 1 })) }
      },
    }),
  },
}
