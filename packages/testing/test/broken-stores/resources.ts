import type { BrokenStores } from './broken-store.ts'

export const resources: BrokenStores = {
  'forgets the state of a resource': {
    breaks: [
      'changes nothing of a thread or resource if a change is invalid',
      'returns every text as it was saved',
      'returns a resource as it was saved',
      'keeps the fields of a resource that a change does not set',
    ],
    mistake: (store) => ({ saveResource: ({ state: _, ...options }) => store.saveResource(options) }),
  },
  'makes a resource of every owner of threads': {
    breaks: [
      'completes calls in flight when it closes',
      'creates no record of a resource that only has threads',
    ],
    mistake: (store) => ({
      saveMessages: async (options) => {
        const { resourceId } = options
        if (resourceId !== undefined && !(await store.getResource({ resourceId }))) {
          await store.saveResource({ resourceId })
        }
        return store.saveMessages(options)
      },
    }),
  },
  'replaces a resource as a whole': {
    breaks: ['keeps the fields of a resource that a change does not set'],
    mistake: (store) => ({
      saveResource: (options) => store.saveResource({ metadata: {}, state: {}, ...options }),
    }),
  },
  'ignores the version of a resource': {
    breaks: [
      'changes a resource only in the expected version',
      'changes nothing of a thread or resource if a change is invalid',
    ],
    mistake: (store) => ({
      saveResource: (options) => store.saveResource({ ...options, ifVersion: undefined }),
    }),
  },
}
