import type { Owner, Store } from '@millrace/core'
import type { BrokenStores } from './broken-store.ts'

/** Calls every method with changed ids in its options. */
function changeIds(store: Store, change: (id: string, name: string) => string): Partial<Store> {
  const changed = (options: object): object =>
    Object.fromEntries(
      Object.entries(options).map(([name, value]) => {
        const isId = ['resourceId', 'threadId', 'key'].includes(name)
        return [name, isId && typeof value === 'string' ? change(value, name) : value]
      }),
    )
  const methods = [
    'getThread',
    'saveThread',
    'listThreads',
    'deleteThread',
    'saveMessages',
    'listMessages',
    'getMessages',
  ] as const
  const more = [
    'deleteMessages',
    'getResource',
    'saveResource',
    'deleteResource',
    'searchMessages',
    'saveVectors',
  ] as const
  const rest = [
    'searchVectors',
    'listMessagesWithoutVector',
    'addToCounter',
    'getKey',
    'setKey',
    'deleteKey',
  ] as const
  return Object.fromEntries(
    [...methods, ...more, ...rest].map((name) => [
      name,
      (options: object) => store[name](changed(options) as never),
    ]),
  )
}

export const tenants: BrokenStores = {
  'searches the messages of all resources': {
    breaks: [
      'changes and deletes nothing of another resource',
      'reaches a consistent state under concurrent saves, edits and deletions',
      'filters by exact values of metadata, including their type',
      'finds a long message only by its beginning',
      'finds a message once, however often it was saved',
      'finds an edited message by its new words only',
      'finds messages by words, regardless of case, accents and endings',
      'finds words of scripts without spaces',
      'deletes all data of a resource, and nothing else',
      'returns the newest of equal messages first, and ten without a limit',
      'ranks rare and repeated words, and short messages, first',
      'saves no message of a turn if one is invalid',
      'scores by BM25 over the messages of the resource only',
      'searches only messages that match the filter',
      'searches user and assistant messages only',
      'deletes a thread atomically for concurrent readers',
      'returns only the data of the resource, for any id',
      'returns nothing to a resource with a similar id',
      'treats no part of a query as syntax',
    ],
    mistake: (store) => {
      const owners = new Set<string | undefined>()
      return {
        saveMessages: (options) => {
          owners.add(options.resourceId)
          return store.saveMessages(options)
        },
        searchMessages: async (options) => {
          const found = await Promise.all(
            [...owners].map((resourceId) => store.searchMessages({ ...options, resourceId })),
          )
          return [...(await store.searchMessages(options)), ...found.flat()].slice(0, options.limit ?? 10)
        },
      }
    },
  },
  'gives what is a resource’s to whoever names none': {
    breaks: [
      'changes and deletes nothing of another resource',
      'returns no cursor on the last page',
      'saves no message of a turn if one is invalid',
      'returns only the data of the resource, for any id',
      'returns nothing to a resource with a similar id',
    ],
    mistake: (store) => ({
      listThreads: ({ resourceId = 'ada', ...options }) => store.listThreads({ ...options, resourceId }),
    }),
  },
  'takes ids for equal that differ in case': {
    breaks: [
      'changes and deletes nothing of another resource',
      'keeps similar ids of threads, messages, keys and runs apart',
      'returns only the data of the resource, for any id',
      'returns nothing to a resource with a similar id',
    ],
    mistake: (store) => changeIds(store, (id) => id.toLowerCase()),
  },
  'takes ids for equal that differ in spaces at the end': {
    breaks: [
      'changes and deletes nothing of another resource',
      'keeps similar ids of threads, messages, keys and runs apart',
      'returns only the data of the resource, for any id',
      'returns nothing to a resource with a similar id',
    ],
    mistake: (store) => changeIds(store, (id) => id.trimEnd() || id),
  },
  'takes ids for equal that Unicode says are': {
    breaks: [
      'keeps similar ids of threads, messages, keys and runs apart',
      'returns only the data of the resource, for any id',
      'returns nothing to a resource with a similar id',
    ],
    mistake: (store) => changeIds(store, (id) => id.normalize('NFC')),
  },
  'finds a thread by its id alone': {
    breaks: ['changes and deletes nothing of another resource'],
    mistake: (store) => ({
      deleteThread: async (key) =>
        (await store.deleteThread(key)) || (await store.deleteThread({ ...key, resourceId: 'ada' })),
    }),
  },
  'asks nobody whose run it is': {
    breaks: [
      'gives a run of a resource to no caller without a resource',
      'gives a run to no other resource',
      'refuses ids that it cannot store',
    ],
    mistake: (store) => {
      const { saveRun, ownerOf } = ownersOf(store)
      return {
        saveRun,
        getRun: (runId) => store.getRun(runId, ownerOf(runId)),
        claimRun: (runId, options) => store.claimRun(runId, { ...options, owner: ownerOf(runId) }),
      }
    },
  },
  'finds the run of any resource for those who name none': {
    breaks: ['gives a run of a resource to no caller without a resource'],
    mistake: (store) => {
      const { saveRun, ownerOf } = ownersOf(store)
      const named = (owner: Owner | undefined): boolean => owner?.resourceId !== undefined
      return {
        saveRun,
        getRun: (runId, owner) => store.getRun(runId, named(owner) ? owner : ownerOf(runId)),
        claimRun: (runId, options) =>
          store.claimRun(runId, { ...options, owner: named(options.owner) ? options.owner : ownerOf(runId) }),
      }
    },
  },
  'tells those who name no resource what became of a run': {
    breaks: ['gives a run of a resource to no caller without a resource'],
    mistake: (store) => {
      const { saveRun, ownerOf } = ownersOf(store)
      return {
        saveRun,
        getRun: async (runId, owner) => {
          const found = await store.getRun(runId, owner ?? ownerOf(runId))
          return owner || found?.state !== 'suspended' ? found : store.getRun(runId)
        },
      }
    },
  },
  'keeps the owner in the cursor, and believes it': {
    breaks: ['uses a cursor of another resource as a position only'],
    mistake: (store) => {
      const owners = new Map<string, string | undefined>()
      return {
        listThreads: async (options) => {
          const { cursor, resourceId } = options
          const owner = cursor !== undefined && owners.has(cursor) ? owners.get(cursor) : resourceId
          const page = await store.listThreads({ ...options, resourceId: owner })
          if (page.nextCursor !== undefined) owners.set(page.nextCursor, owner)
          return page
        },
      }
    },
  },
  'cuts ids that it cannot keep': {
    breaks: ['refuses amounts and values that are not safe integers', 'refuses ids that it cannot store'],
    mistake: (store) =>
      changeIds(store, (id) =>
        id.length > 512 ? id.slice(0, 512) : id.replaceAll('\0', '').toWellFormed() || 'x',
      ),
  },
}

/** Remembers the owners of runs. */
function ownersOf(store: Store): Pick<Store, 'saveRun'> & { ownerOf: (runId: string) => Owner } {
  const owners = new Map<string, Owner>()
  return {
    saveRun: async (run, options) => {
      await store.saveRun(run, options)
      owners.set(run.runId, run.resourceId === undefined ? {} : { resourceId: run.resourceId })
    },
    ownerOf: (runId) => owners.get(runId) ?? {},
  }
}
