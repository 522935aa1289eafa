import type { RunCall, RunLease, Store, SuspendedRun } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import { eventually } from './eventually.ts'
import { sampleRun } from './runs.ts'
import type { StorageRules } from './storage-rule.ts'

const hour = 3_600_000
const owner = { resourceId: 'ada' }
const lease: RunLease = { runId: 'run', attempt: 1, ...owner }

/** A started call. */
export function sampleCall(toolCallId: string, fields: Partial<RunCall> = {}): RunCall {
  return { toolCallId, toolName: 'pay', input: { amount: 5 }, attempt: 1, startedAt: 1_000, ...fields }
}

/** Saves a run, and claims it for `leaseMs`. */
async function claim(
  store: Store,
  { leaseMs = hour, data }: { leaseMs?: number; data?: string } = {},
): Promise<void> {
  await store.saveRun(sampleRun('run', owner))
  const claimed = await store.claimRun('run', { leaseMs, owner, data })
  assert.deepEqual(claimed, { state: 'suspended', attempt: 1 })
}

async function leaseExpiry(store: Store, runId = 'run'): Promise<void> {
  await eventually(async () => (await store.getRun(runId, owner))?.state === 'interrupted')
}

async function interruptedRun(store: Store) {
  const found = await store.getRun('run', owner)
  assert.ok(found?.state === 'interrupted', `The run is ${found?.state}.`)
  return found
}

const interruptions = (runs: readonly SuspendedRun[]) =>
  runs.map(({ runId, interrupted }) => [runId, interrupted])

export const leases: StorageRules = {
  'lists a run whose lease has expired as interrupted, and gives it to the next attempt': async ({
    store,
  }) => {
    await claim(store, { leaseMs: 1 })
    await store.saveRun(sampleRun('second', owner))
    await leaseExpiry(store)
    assert.deepEqual(interruptions(await store.listRuns(owner)), [
      ['run', { attempts: 1, calls: [] }],
      ['second', undefined],
    ])
    assert.deepEqual(await store.claimRun('run', { leaseMs: hour, owner }), {
      state: 'interrupted',
      attempt: 2,
    })
    assert.deepEqual(await store.claimRun('run', { leaseMs: hour, owner }), { state: 'running' })
    assert.deepEqual(interruptions(await store.listRuns(owner)), [['second', undefined]])
    await store.endRun({ ...lease, attempt: 2 }, 'interrupted')
    assert.equal((await interruptedRun(store)).attempt, 2)
    assert.equal(await store.releaseRun('run', owner), 'interrupted')
    assert.deepEqual(await store.getRun('run', owner), { state: 'released' })
  },

  'gives an interrupted run to one of many concurrent claims': async ({ store }) => {
    await claim(store)
    await store.endRun(lease, 'interrupted')
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => store.claimRun('run', { leaseMs: hour, owner })),
    )
    const attempts = claims.flatMap((claimed) => claimed?.attempt ?? [])
    assert.deepEqual(attempts, [2])
    assert.deepEqual(new Set(claims.map((claimed) => claimed?.state)), new Set(['interrupted', 'running']))
  },

  'refuses changes of an attempt after another one has claimed the run, or after its end': async ({
    store,
  }) => {
    await claim(store)
    await store.endRun(lease, 'interrupted')
    await store.claimRun('run', { leaseMs: hour, owner })
    const late = [
      () => store.updateRun(lease, { leaseMs: hour, snapshot: '"late"', calls: [sampleCall('late')] }),
      () => store.endRun(lease, 'done'),
      () => store.endRun(lease, 'interrupted'),
      () => store.endRun(lease, 'released'),
      () => store.saveRun(sampleRun('next', owner), { after: lease }),
      () => store.saveRun(sampleRun('run', owner), { after: lease }),
    ]
    for (const change of late) await assertRefused('RUN_LEASE_LOST', change)
    assert.equal(await store.getRun('next', owner), undefined)
    assert.equal((await store.getRun('run', owner))?.state, 'running')
    await store.endRun({ ...lease, attempt: 2 }, 'interrupted')
    const { run, calls } = await interruptedRun(store)
    assert.deepEqual([run.snapshot, calls], [sampleRun('run').snapshot, []])
    await store.releaseRun('run', owner)
    for (const change of late) await assertRefused('RUN_LEASE_LOST', change)
    await assertRefused('RUN_LEASE_LOST', () => store.updateRun({ ...lease, attempt: 2 }, { leaseMs: hour }))
    await store.saveRun(sampleRun('waiting', owner))
    await assertRefused('RUN_LEASE_LOST', () => store.endRun({ ...lease, runId: 'waiting' }, 'done'))
  },

  'releases a run for good for the attempt that holds it': async ({ store }) => {
    await claim(store)
    await store.updateRun(lease, { leaseMs: hour, calls: [sampleCall('call')] })
    await store.endRun(lease, 'released')
    assert.deepEqual(await store.getRun('run', owner), { state: 'released' })
    assert.deepEqual(await store.claimRun('run', { leaseMs: hour, owner }), { state: 'released' })
    assert.equal(await store.releaseRun('run', owner), 'released')
    assert.deepEqual(await store.listRuns(owner), [])
    await assertRefused('RUN_LEASE_LOST', () => store.updateRun(lease, { leaseMs: hour }))
    await assertRefused('STORAGE_CONFLICT', () => store.saveRun(sampleRun('run', owner)))
  },

  'refuses changes of another resource, or without a resource': async ({ store }) => {
    await claim(store)
    for (const other of [{ resourceId: 'bob' }, {}]) {
      const { resourceId: _, ...rest } = lease
      const theirs = { ...rest, ...other }
      await assertRefused('RUN_LEASE_LOST', () =>
        store.updateRun(theirs, { leaseMs: hour, snapshot: '"theirs"' }),
      )
      await assertRefused('RUN_LEASE_LOST', () => store.endRun(theirs, 'done'))
      await assertRefused('RUN_LEASE_LOST', () => store.saveRun(sampleRun('next', other), { after: theirs }))
    }
    assert.equal((await store.getRun('run', owner))?.state, 'running')
  },

  'lets an attempt with an expired lease continue until another one claims the run': async ({ store }) => {
    await claim(store, { leaseMs: 1 })
    await leaseExpiry(store)
    await store.updateRun(lease, { leaseMs: hour, snapshot: '"on"' })
    assert.deepEqual(await store.claimRun('run', { leaseMs: hour, owner }), { state: 'running' })
    await store.endRun(lease, 'interrupted')
    assert.equal((await interruptedRun(store)).run.snapshot, '"on"')
    await store.endRun(lease, 'done')
    assert.deepEqual(await store.getRun('run', owner), { state: 'done' })
  },

  'keeps the data that a run was resumed with, and all its fields': async ({ store }) => {
    const run = sampleRun('run', { ...owner, threadId: 'thread', toolCallId: 'call', payload: { a: [1] } })
    await store.saveRun(run)
    await store.claimRun('run', { leaseMs: hour, owner, data: '{"approved":true}' })
    await store.endRun(lease, 'interrupted')
    const found = await interruptedRun(store)
    assert.deepEqual(found.run, run)
    assert.equal(found.data, '{"approved":true}')
    await store.claimRun('run', { leaseMs: hour, owner })
    await store.endRun({ ...lease, attempt: 2 }, 'interrupted')
    assert.equal((await interruptedRun(store)).data, '{"approved":true}')
    const [listed] = await store.listRuns({ ...owner, threadId: 'thread' })
    const { snapshot: _, ...head } = run
    assert.deepEqual(listed, { ...head, interrupted: { attempts: 2, calls: [] } })
  },

  'claims a run only in the expected version, which changes with each write': async ({ store }) => {
    await store.saveRun(sampleRun('run', owner))
    const options = { leaseMs: hour, owner }
    assert.deepEqual(await store.claimRun('run', { ...options, ifVersion: 1 }), { state: 'suspended' })
    assert.deepEqual(await store.claimRun('run', { ...options, ifVersion: 0 }), {
      state: 'suspended',
      attempt: 1,
    })
    const versions: number[] = []
    const note = async (): Promise<void> => {
      await store.endRun(lease, 'interrupted')
      versions.push((await interruptedRun(store)).version)
    }
    await note()
    await store.updateRun(lease, { leaseMs: hour })
    await note()
    await store.updateRun(lease, { leaseMs: hour, calls: [sampleCall('a')] })
    await note()
    const [first = 0, second = 0, third = 0] = versions
    assert.ok(0 < first && first < second && second < third, `versions ${versions}`)
    assert.deepEqual(await store.claimRun('run', { ...options, ifVersion: second }), { state: 'interrupted' })
    assert.deepEqual(await store.claimRun('run', { ...options, ifVersion: third }), {
      state: 'interrupted',
      attempt: 2,
    })
  },

  'keeps a journal of calls in the order of their start, and empties it with a new snapshot': async ({
    store,
  }) => {
    await claim(store)
    const outcome = JSON.stringify({ output: '\0 \ud800 東京' })
    const [a, b] = [sampleCall('b'), sampleCall('a', { input: ['\0', null] })]
    await store.updateRun(lease, { leaseMs: hour, calls: [a, b] })
    await store.updateRun(lease, { leaseMs: hour, calls: [sampleCall('c')] })
    const ended = { ...a, finishedAt: 2_000, outcome }
    await store.updateRun(lease, { leaseMs: hour, calls: [ended] })
    await store.endRun(lease, 'interrupted')
    assert.deepEqual((await interruptedRun(store)).calls, [ended, b, sampleCall('c')])
    const [listed] = await store.listRuns(owner)
    assert.deepEqual(listed?.interrupted?.calls, [
      { toolCallId: 'b', toolName: 'pay', input: { amount: 5 }, state: 'finished' },
      { toolCallId: 'a', toolName: 'pay', input: ['\0', null], state: 'started' },
      { toolCallId: 'c', toolName: 'pay', input: { amount: 5 }, state: 'started' },
    ])
    await store.updateRun(lease, { leaseMs: hour, snapshot: '"new"', calls: [sampleCall('d')] })
    await store.endRun(lease, 'interrupted')
    const { run, calls } = await interruptedRun(store)
    assert.deepEqual([run.snapshot, calls], ['"new"', [sampleCall('d')]])
    await store.deleteResource(owner)
    await assertRefused('RUN_LEASE_LOST', () => store.updateRun(lease, { leaseMs: hour }))
    // Another run with the same id has its own journal.
    await claim(store)
    await store.endRun(lease, 'interrupted')
    assert.deepEqual((await interruptedRun(store)).calls, [])
  },

  'ends a run and stores the one that continues it atomically': async ({ store }) => {
    await claim(store)
    await store.saveRun(sampleRun('known', owner))
    await assertRefused('STORAGE_CONFLICT', () => store.saveRun(sampleRun('known', owner), { after: lease }))
    const large = sampleRun('next', { ...owner, snapshot: 'x'.repeat(5_000_000) })
    await assertRefused('RUN_TOO_LARGE', () => store.saveRun(large, { after: lease }))
    assert.equal((await store.getRun('run', owner))?.state, 'running')
    await store.saveRun(sampleRun('next', owner), { after: lease })
    assert.deepEqual(await store.getRun('run', owner), { state: 'done' })
    assert.equal((await store.getRun('next', owner))?.state, 'suspended')
    assert.deepEqual(
      (await store.listRuns(owner)).map(({ runId }) => runId),
      ['known', 'next'],
    )
  },

  'stores a running run, and suspends it in place': async ({ store }) => {
    const run = sampleRun('run', owner)
    await store.saveRun(run, { lease: { leaseMs: hour } })
    const running = await store.getRun('run', owner)
    assert.ok(running?.state === 'running' && running.attempt === 1)
    assert.deepEqual(await store.listRuns(owner), [])
    await store.updateRun(lease, { leaseMs: hour, calls: [sampleCall('call')] })
    const waiting = sampleRun('run', { ...owner, payload: 'May I?', snapshot: '"waits"' })
    await store.saveRun(waiting, { after: lease })
    const found = await store.getRun('run', owner)
    assert.ok(found?.state === 'suspended')
    assert.deepEqual(found.run, waiting)
    assert.ok((found.version ?? 0) > 1)
    const { snapshot: _, ...listed } = waiting
    assert.deepEqual(await store.listRuns(owner), [listed])
    await assertRefused('RUN_LEASE_LOST', () => store.updateRun(lease, { leaseMs: hour }))
    const ifVersion = found.version
    assert.deepEqual(await store.claimRun('run', { leaseMs: hour, owner, ifVersion }), {
      state: 'suspended',
      attempt: 2,
    })
    await store.endRun({ ...lease, attempt: 2 }, 'interrupted')
    assert.deepEqual((await interruptedRun(store)).calls, [])
  },

  'keeps an interrupted run after its lease until it expires': async ({ store }) => {
    const late = { ...owner, createdAt: Date.now() - hour, expiresAt: Date.now() - 1 }
    await store.saveRun(sampleRun('run', late), { lease: { leaseMs: 1, expiresIn: hour } })
    await store.saveRun(sampleRun('short', late), { lease: { leaseMs: 1, expiresIn: 1 } })
    await leaseExpiry(store)
    await eventually(async () => (await store.getRun('short', owner))?.state === 'expired')
    assert.deepEqual(await store.claimRun('short', { leaseMs: hour, owner }), { state: 'expired' })
    await assertRefused('RUN_LEASE_LOST', () =>
      store.updateRun({ ...lease, runId: 'short' }, { leaseMs: hour }),
    )
    // A later expiry is not shortened.
    await store.claimRun('run', { leaseMs: 1, expiresIn: 1, owner })
    await leaseExpiry(store)
    assert.deepEqual(
      (await store.listRuns(owner)).map(({ runId }) => runId),
      ['run'],
    )
  },

  'refuses a change of a run that is too large, or has text that databases cannot store': async ({
    store,
  }) => {
    await claim(store)
    const large = 'x'.repeat(4 * 1024 * 1024)
    await assertRefused('RUN_TOO_LARGE', () => store.updateRun(lease, { leaseMs: hour, snapshot: large }))
    const calls = [sampleCall('a'), sampleCall('b', { outcome: large })]
    await assertRefused('RUN_TOO_LARGE', () => store.updateRun(lease, { leaseMs: hour, calls }))
    for (const text of ['\0', '\ud800']) {
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.updateRun(lease, { leaseMs: hour, snapshot: text }),
      )
    }
    for (const leaseMs of [0, -1, 0.5, Number.NaN]) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.updateRun(lease, { leaseMs }))
    }
    await store.endRun(lease, 'interrupted')
    const { run, calls: kept } = await interruptedRun(store)
    assert.deepEqual([run.snapshot, kept], [sampleRun('run').snapshot, []])
  },
}
