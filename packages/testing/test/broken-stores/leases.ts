import type { RunCall, StoredRun } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

const LISTS = 'lists a run whose lease has expired as interrupted, and gives it to the next attempt'
const ONE_OF_MANY = 'gives an interrupted run to one of many concurrent claims'
const FENCES = 'refuses changes of an attempt after another one has claimed the run, or after its end'
const GIVES_UP = 'releases a run for good for the attempt that holds it'
const OWNERS = 'refuses changes of another resource, or without a resource'
const GOES_ON = 'lets an attempt with an expired lease continue until another one claims the run'
const KEEPS = 'keeps the data that a run was resumed with, and all its fields'
const VERSIONS = 'claims a run only in the expected version, which changes with each write'
const JOURNAL = 'keeps a journal of calls in the order of their start, and empties it with a new snapshot'
const CONTINUES = 'ends a run and stores the one that continues it atomically'
const IN_PLACE = 'stores a running run, and suspends it in place'
const EXPIRES = 'keeps an interrupted run after its lease until it expires'
const LIMITS = 'refuses a change of a run that is too large, or has text that databases cannot store'

const CRASH = 'loses no call and executes none twice if the process dies at any write'
const STEP = 'loses no call and executes none twice if the process dies at any write, with every step stored'

const year = 31_536_000_000

export const leases: BrokenStores = {
  'lists suspended runs only': {
    breaks: [LISTS, JOURNAL, EXPIRES, KEEPS, CRASH, STEP],
    mistake: (store) => ({
      listRuns: async (filter) => (await store.listRuns(filter)).filter(({ interrupted }) => !interrupted),
    }),
  },
  'claims an interrupted run in two steps': {
    breaks: [ONE_OF_MANY, VERSIONS],
    mistake: (store) => ({
      claimRun: async (runId, options) => {
        const found = await store.getRun(runId, options.owner)
        await pause()
        const claimed = await store.claimRun(runId, options)
        return found?.state === 'interrupted' ? { state: 'interrupted', attempt: found.attempt + 1 } : claimed
      },
    }),
  },
  'believes an older attempt': {
    breaks: [FENCES],
    mistake: (store) => {
      const newest = new Map<string, number>()
      return {
        claimRun: async (runId, options) => {
          const claimed = await store.claimRun(runId, options)
          if (claimed?.attempt !== undefined) newest.set(runId, claimed.attempt)
          return claimed
        },
        updateRun: (lease, changes) =>
          store.updateRun({ ...lease, attempt: newest.get(lease.runId) ?? lease.attempt }, changes),
      }
    },
  },
  'ends a run for an older attempt': {
    breaks: [FENCES],
    mistake: (store) => ({
      endRun: (lease, as) =>
        store.endRun(lease, as).catch((error) => {
          if (lease.attempt !== 1 || lease.runId === 'waiting' || lease.resourceId !== 'ada') throw error
          return store.endRun({ ...lease, attempt: 2 }, as).catch(() => {
            throw error
          })
        }),
    }),
  },
  'leaves a run that is given up to be resumed': {
    breaks: [GIVES_UP],
    mistake: (store) => ({
      endRun: (lease, as) => store.endRun(lease, as === 'done' ? 'done' : 'interrupted'),
    }),
  },
  'changes runs of any resource': {
    breaks: [OWNERS],
    mistake: (store) => ({
      updateRun: async (lease, changes) => {
        const { resourceId: _, ...rest } = lease
        const found = await store.getRun(lease.runId, lease)
        return store.updateRun(
          found ? lease : { ...rest, ...(lease.resourceId !== 'ada' && { resourceId: 'ada' }) },
          changes,
        )
      },
    }),
  },
  'lets nobody change a run whose lease has expired': {
    breaks: [GOES_ON, VERSIONS, JOURNAL],
    mistake: (store) => ({
      updateRun: async (lease, changes) => {
        const found = await store.getRun(lease.runId, lease)
        return store.updateRun(found?.state === 'interrupted' ? { ...lease, attempt: 99 } : lease, changes)
      },
    }),
  },
  'forgets what a run was resumed with': {
    breaks: [KEEPS, CRASH, STEP],
    mistake: (store) => ({ claimRun: (runId, { data: _, ...options }) => store.claimRun(runId, options) }),
  },
  'claims a run in any version': {
    breaks: [VERSIONS],
    mistake: (store) => ({
      claimRun: (runId, { ifVersion: _, ...options }) => store.claimRun(runId, options),
    }),
  },
  'sorts calls by their ids': {
    breaks: [JOURNAL],
    mistake: (store) => ({
      getRun: async (runId, owner) => {
        const found = await store.getRun(runId, owner)
        if (found?.state !== 'interrupted') return found
        return { ...found, calls: found.calls.toSorted((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1)) }
      },
    }),
  },
  'keeps the journal when it gets a snapshot': {
    breaks: [JOURNAL],
    mistake: (store) => {
      const known = new Map<string, RunCall[]>()
      return {
        updateRun: (lease, changes) => {
          const calls = [...(known.get(lease.runId) ?? []), ...(changes.calls ?? [])]
          known.set(lease.runId, calls)
          return store.updateRun(lease, { ...changes, calls })
        },
        deleteResource: (key) => {
          known.clear()
          return store.deleteResource(key)
        },
      }
    },
  },
  'ends a run before it stores the next': {
    breaks: [CONTINUES],
    mistake: (store) => ({
      saveRun: async (run, { after, ...options } = {}) => {
        if (!after || after.runId === run.runId) return store.saveRun(run, { ...options, after })
        await store.endRun(after, 'done')
        return store.saveRun(run, options)
      },
    }),
  },
  'stores the next run and leaves the one before': {
    breaks: [CONTINUES, FENCES, OWNERS, CRASH, STEP],
    mistake: (store) => ({
      saveRun: (run, { after, ...options } = {}) =>
        store.saveRun(run, after?.runId === run.runId ? { ...options, after } : options),
    }),
  },
  'stores every run as suspended': {
    breaks: [IN_PLACE, EXPIRES, STEP],
    mistake: (store) => ({ saveRun: (run, { lease: _, ...options } = {}) => store.saveRun(run, options) }),
  },
  'numbers attempts anew when a run is suspended in place': {
    breaks: [IN_PLACE, STEP],
    mistake: (store) => {
      const first = new Map<string, number>()
      return {
        saveRun: async (run, options) => {
          await store.saveRun(run, options)
          if (options?.after?.runId === run.runId) first.set(run.runId, options.after.attempt)
        },
        claimRun: async (runId, options) => {
          const claimed = await store.claimRun(runId, options)
          if (claimed?.attempt === undefined) return claimed
          return { ...claimed, attempt: claimed.attempt - (first.get(runId) ?? 0) }
        },
      }
    },
  },
  'keeps interrupted runs for ever': {
    breaks: [EXPIRES],
    mistake: (store) => ({
      saveRun: (run, options) =>
        store.saveRun(
          run,
          options?.lease ? { ...options, lease: { ...options.lease, expiresIn: year } } : options,
        ),
    }),
  },
  'forgets interrupted runs when they would have expired': {
    breaks: [EXPIRES],
    mistake: (store) => {
      const ends = new Map<string, StoredRun>()
      return {
        saveRun: async (run, options) => {
          await store.saveRun(run, options)
          if (options?.lease) ends.set(run.runId, run)
        },
        listRuns: async (filter) =>
          (await store.listRuns(filter)).filter(
            ({ runId }) => (ends.get(runId)?.expiresAt ?? year * 1_000) > Date.now(),
          ),
      }
    },
  },
  'keeps no journal': {
    breaks: [JOURNAL, CRASH, STEP],
    mistake: (store) => ({ updateRun: (lease, { calls: _, ...changes }) => store.updateRun(lease, changes) }),
  },
  'takes changes of any size': {
    breaks: [LIMITS],
    mistake: (store) => ({
      updateRun: (lease, changes) =>
        store.updateRun(lease, changes).catch((error) => {
          if (error.code !== 'RUN_TOO_LARGE') throw error
        }),
    }),
  },
}
