import { MillraceError } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

export const lifetime: BrokenStores = {
  'says that it is persistent, and is not': {
    breaks: [
      'has its data after it is reopened if it is persistent, else none',
      'can be migrated concurrently',
      'completes calls in flight when it closes',
      'continues the numbers of messages after it is reopened, also if the last were removed',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, persistent: true } }),
  },
  'goes on when it is closed': {
    breaks: ['refuses calls after it is closed'],
    mistake: () => ({ close: async () => {} }),
  },
  'drops calls in flight as it closes': {
    breaks: ['completes calls in flight when it closes'],
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
      'refuses calls after it is closed',
      'can be migrated concurrently',
      'reports that it must be migrated, or migrates itself',
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
    breaks: ['refuses calls after it is closed', 'reports that it must be migrated, or migrates itself'],
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

/** Faults of stores that keep their data by name. */
export const persistence: BrokenStores = {
  'says that it is not persistent, and is': {
    breaks: [
      'has its data after it is reopened if it is persistent, else none',
      'can be migrated concurrently',
      'continues the numbers of messages after it is reopened, also if the last were removed',
    ],
    mistake: (store) => ({ capabilities: { ...store.capabilities, persistent: false } }),
  },
  'numbers messages from what is there': {
    breaks: [
      'continues the numbers of messages after it is reopened, also if the last were removed',
      'gives messages increasing and unique numbers',
    ],
    mistake: (store) => ({
      listMessages: async (options) => {
        const page = await store.listMessages(options)
        return { ...page, items: page.items.map((stored, index) => ({ ...stored, sequence: index + 1 })) }
      },
    }),
  },
}
