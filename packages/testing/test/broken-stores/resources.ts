import type { BrokenStores } from './broken-store.ts'

export const resources: BrokenStores = {
  'forgets the state of a resource': {
    breaks: [
      'changes nothing of a thread or resource where a change cannot be stored',
      'gives back every text as it was saved',
      'gives back what is kept for a resource as it was saved',
      'keeps of a resource what a change does not name',
    ],
    mistake: (store) => ({ saveResource: ({ state: _, ...options }) => store.saveResource(options) }),
  },
  'makes a resource of every owner of threads': {
    breaks: ['lets calls in flight end as it closes', 'makes nothing of a resource that only has threads'],
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
    breaks: ['keeps of a resource what a change does not name'],
    mistake: (store) => ({
      saveResource: (options) => store.saveResource({ metadata: {}, state: {}, ...options }),
    }),
  },
  'ignores the version of a resource': {
    breaks: [
      'changes a resource only if it has the version that is expected',
      'changes nothing of a thread or resource where a change cannot be stored',
    ],
    mistake: (store) => ({
      saveResource: (options) => store.saveResource({ ...options, ifVersion: undefined }),
    }),
  },
}
