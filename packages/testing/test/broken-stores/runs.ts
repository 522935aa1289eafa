import type { RunState, StoredRun } from '@millrace/core'
import { type BrokenStores, pause } from './broken-store.ts'

export const runs: BrokenStores = {
  'forgets which call a run waits for': {
    breaks: [
      'returns a suspended run as it was saved',
      'keeps the data that a run was resumed with, and all its fields',
    ],
    mistake: (store) => ({ saveRun: ({ toolCallId: _, ...run }, options) => store.saveRun(run, options) }),
  },
  'leaves out of a run what its database cannot keep': {
    breaks: ['refuses a run with text that databases cannot store'],
    mistake: (store) => ({
      saveRun: ({ snapshot, ...run }, options) =>
        store.saveRun({ ...run, snapshot: snapshot.replaceAll('\0', '').toWellFormed() }, options),
    }),
  },
  'gives out the run it holds': {
    breaks: ['keeps its own copy of a run'],
    mistake: (store) => {
      const held = new Map<string, StoredRun>()
      return {
        saveRun: async (run, options) => {
          await store.saveRun(run, options)
          held.set(run.runId, run)
        },
        getRun: async (runId, owner) => {
          const found = await store.getRun(runId, owner)
          return found?.state === 'suspended' ? { ...found, run: held.get(runId) ?? found.run } : found
        },
      }
    },
  },
  'knows nothing of a run that was claimed': {
    breaks: [
      'gives a run to one of many concurrent claims',
      'gives a run to the first claim, and reports its state to the others',
      'reports that a run has expired',
      'keeps an interrupted run after its lease until it expires',
      'releases a run for good for the attempt that holds it',
      'lets an attempt with an expired lease continue until another one claims the run',
      'lists a run whose lease has expired as interrupted, and gives it to the next attempt',
      'claims a run only in the expected version, which changes with each write',
      'gives an interrupted run to one of many concurrent claims',
    ],
    mistake: (store) => ({
      claimRun: async (runId, options) => {
        const claimed = await store.claimRun(runId, options)
        return claimed?.attempt === undefined ? undefined : claimed
      },
    }),
  },
  'reads a run in one step and claims it in another': {
    breaks: ['gives a run to one of many concurrent claims'],
    mistake: (store) => ({
      claimRun: async (runId, options) => {
        const found = await store.getRun(runId, options.owner)
        await pause()
        const claimed = await store.claimRun(runId, options)
        return found?.state === 'suspended' && options.ifVersion === undefined
          ? { state: 'suspended', attempt: claimed?.attempt ?? 1 }
          : claimed
      },
    }),
  },
  'lets a run id be used again': {
    breaks: ['refuses a run id that was used before'],
    mistake: (store) => ({
      saveRun: async (run, options) => {
        const found = await store.getRun(
          run.runId,
          run.resourceId === undefined ? {} : { resourceId: run.resourceId },
        )
        if (found?.state !== 'suspended' || options) return store.saveRun(run, options)
      },
    }),
  },
  'lists runs by their clocks': {
    breaks: ['lists the runs of a thread, of a resource or of none, in the order of saving'],
    mistake: (store) => ({
      listRuns: async (filter) =>
        (await store.listRuns(filter)).toSorted(
          (left, right) => left.createdAt - right.createdAt || (left.runId < right.runId ? -1 : 1),
        ),
    }),
  },
  'lists the runs of a thread whosever it is': {
    breaks: [
      'lists the runs of a thread, of a resource or of none, in the order of saving',
      'lists the runs of all resources only if they are asked for',
    ],
    mistake: (store) => ({
      listRuns: (filter = {}) =>
        filter.threadId !== undefined && filter.resourceId === undefined
          ? store.listRuns({ ...filter, allResources: true })
          : store.listRuns(filter),
    }),
  },
  'takes a missing resource for every resource': {
    breaks: [
      'lists the runs of a thread, of a resource or of none, in the order of saving',
      'lists the runs of all resources only if they are asked for',
    ],
    mistake: (store) => ({
      listRuns: (filter = {}) =>
        filter.resourceId === undefined && filter.threadId === undefined
          ? store.listRuns({ ...filter, allResources: true })
          : store.listRuns(filter),
    }),
  },
  'lets runs wait for ever': {
    breaks: ['stores up to a thousand unexpired runs of a resource', 'reports that a run has expired'],
    mistake: (store) => {
      const times = new Map<string, number>()
      return {
        saveRun: (run, options) => {
          times.set(run.runId, run.expiresAt)
          const isOver = !options && run.expiresAt <= Date.now()
          const expiresAt = isOver ? Date.now() + 3_600_000 : run.expiresAt
          return store.saveRun({ ...run, expiresAt }, options)
        },
      }
    },
  },
  'holds as many runs as anybody likes': {
    breaks: ['stores up to a thousand unexpired runs of a resource'],
    mistake: (store) => ({
      saveRun: (run, options) =>
        store.saveRun(run, options).catch((error) => {
          if (error.code !== 'RUN_LIMIT_REACHED') throw error
        }),
    }),
  },
  'counts the runs that have expired': {
    breaks: ['stores up to a thousand unexpired runs of a resource'],
    mistake: (store) => {
      const states = new Map<string, RunState>()
      let expired = 0
      return {
        saveRun: async (run, options) => {
          if (options) return store.saveRun(run, options)
          if (run.expiresAt < Date.now()) expired++
          if (expired > 0 && (await store.listRuns({ resourceId: 'ada' })).length + expired > 1_000) {
            await store.saveRun({ ...run, snapshot: 'x'.repeat(5_000_000) })
          }
          states.set(run.runId, 'suspended')
          return store.saveRun(run)
        },
      }
    },
  },
  'measures a run in characters': {
    breaks: [
      'returns a suspended run as it was saved',
      'stores runs of up to four megabytes, measured in bytes',
      'keeps the data that a run was resumed with, and all its fields',
      'loses no call and executes none twice if the process dies at any write',
      'refuses a run with text that databases cannot store',
      'refuses changes of an attempt after another one has claimed the run, or after its end',
      'refuses a run id that was used before',
    ],
    mistake: (store) => ({
      saveRun: async (run, options) => {
        const { length } = JSON.stringify(run)
        if (length > 4_194_304 || options) return store.saveRun(run, options)
        await store.saveRun({ ...run, snapshot: '' })
      },
    }),
  },
}
