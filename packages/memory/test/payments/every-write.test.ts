import { MillraceError, type Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hurry, Till, type Way } from './till.ts'
import { WAYS } from './ways.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const WRITES: ReadonlySet<PropertyKey> = new Set([
  'saveMessages',
  'deleteMessages',
  'saveRun',
  'claimRun',
  'updateRun',
  'endRun',
])

interface Fault {
  /** The number of the write that fails, from 1. */
  at: number
  /** Whether all writes from that one on fail, until the store is mended. */
  lasts: boolean
  /** Whether the write takes effect before the error is reported. */
  applies: boolean
}

/** A store in memory with one fault. */
function faulty({ at, lasts, applies }: Fault) {
  const state = { writes: 0, isMended: false }
  const down = () => new MillraceError('STORAGE_UNAVAILABLE', 'The database cannot be reached.')
  const storage: Store = new Proxy(new InMemoryStore(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        const number = WRITES.has(name) ? ++state.writes : 0
        const fails = !state.isMended && number > 0 && (lasts ? number >= at : number === at)
        if (fails && !applies) throw down()
        const result: unknown = await value.apply(target, given)
        if (fails) throw down()
        return result
      }
    },
  })
  return { storage, state }
}

const FAULTS = [
  ['fails once', { lasts: false, applies: false }],
  ['fails once after it took effect', { lasts: false, applies: true }],
  ['fails with all that follow', { lasts: true, applies: false }],
] as const

const NAMES = [
  'an answer',
  'maxSteps',
  'stopWhen with an output schema',
  'an answer that does not match',
  'an error of the provider',
  'a tripwire in processOutputStep',
  'a tripwire in processToolResult',
  'a halt in processToolStep',
  'an error in processInputStep',
  'a stop in processOutputStep',
  'another call that trips',
]

describe.each(NAMES)('a payment before %s is found', (name) => {
  const way = WAYS[name] as Way
  describe.each(['generate', 'approved'] as const)('in %s', (mode) => {
    test.each(
      FAULTS.flatMap(([what, fault]) =>
        (['turn', 'step'] as const).map((persist) => [what, persist, fault] as const),
      ),
    )('if any write %s, saved by %s', async (_, persist, fault) => {
      const needsApproval = mode === 'approved'
      for (let at = 1; ; at++) {
        const { storage, state } = faulty({ at, ...fault })
        const till = new Till(way, { persist, storage })
        const end = await hurry(till.run(mode))
        state.isMended = true
        const paid = till.executed.length
        const found = await hurry(till.find({ needsApproval }))
        const where = `write ${at}, which ended as ${end}`
        if (paid > 0) expect(found, where).toHaveLength(1)
        expect(till.executed.length, where).toBeLessThanOrEqual(1)
        if (state.writes < at) break
      }
    })
  })
})

test('a run that has paid is not completed without a word if its thread cannot be written', async () => {
  const { storage, state } = faulty({ at: 1, lasts: true, applies: false })
  const till = new Till({ ends: 'suspended' }, { persist: 'step', storage })
  const run = await hurry(
    till.agent(false).generate('Pay, please.', { threadId: 'thread-1', resourceId: 'ada' }),
  )
  expect(run.status).toBe('suspended')
  expect(run.text).toBe('Done.')
  expect(run.suspension?.payload).toMatchObject({ type: 'thread-unwritten', code: 'RUN_THREAD_UNWRITTEN' })
  expect(JSON.stringify(run.suspension?.payload)).toContain('STORAGE_UNAVAILABLE')
  state.isMended = true
  // The store has refused the run too: this process has kept it.
  const agent = till.agent(false)
  expect(await agent.suspendedRuns({ threadId: 'thread-1', resourceId: 'ada' })).toMatchObject([
    { runId: run.runId, payload: { type: 'thread-unwritten' } },
  ])
  const done = await agent.resume(run.runId, undefined, { resourceId: 'ada' })
  expect(done).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(await till.payments()).toEqual(['receipt 7'])
  expect(till.executed).toHaveLength(1)
})
