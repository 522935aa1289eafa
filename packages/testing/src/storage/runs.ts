import type { StoredRun, SuspendedRun } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import type { StorageRules } from './storage-rule.ts'

const hour = 3_600_000

/** A run that expires in an hour. */
export function sampleRun(runId: string, fields: Partial<StoredRun> = {}): StoredRun {
  const createdAt = Date.now()
  return {
    runId,
    agentName: 'agent',
    payload: null,
    createdAt,
    expiresAt: createdAt + hour,
    snapshot: '{"version":1}',
    ...fields,
  }
}

const idsOf = (runs: readonly SuspendedRun[]): string[] => runs.map(({ runId }) => runId)

export const runs: StorageRules = {
  'returns a suspended run as it was saved': async ({ store }) => {
    const run = sampleRun('run', {
      threadId: 'thread',
      resourceId: 'ada',
      processorId: 'approval',
      hook: 'processToolCall',
      toolCallId: 'call-1',
      payload: { question: 'May I? \0 \ud800 東京', list: [1, null, { '': true }] },
      snapshot: JSON.stringify({ version: 1, text: '\0 \ud800 😀'.repeat(1_000) }),
    })
    await store.saveRun(run)
    assert.deepEqual(await store.getRun('run', { resourceId: 'ada' }), { state: 'suspended', run })
    const { snapshot: _, ...listed } = run
    assert.deepEqual(await store.listRuns({ resourceId: 'ada' }), [listed])
    assert.equal(await store.getRun('nonesuch'), undefined)
    const bare = sampleRun('bare')
    await store.saveRun(bare)
    assert.deepEqual(await store.getRun('bare'), { state: 'suspended', run: bare })
  },

  'keeps its own copy of a run': async ({ store }) => {
    const payload = { price: 1 }
    await store.saveRun(sampleRun('run', { payload }))
    payload.price = 2
    for (const { payload } of await store.listRuns({})) Object.assign(payload as object, { price: 3 })
    const found = await store.getRun('run')
    assert.ok(found?.state === 'suspended')
    assert.deepEqual(found.run.payload, { price: 1 })
    Object.assign(found.run.payload as object, { price: 4 })
    const [listed] = await store.listRuns({})
    assert.deepEqual(listed?.payload, { price: 1 })
  },

  'gives a run to the first claim, and reports its state to the others': async ({ store }) => {
    for (const runId of ['a', 'b', 'c']) await store.saveRun(sampleRun(runId))
    const before = Date.now()
    assert.deepEqual(await store.claimRun('a', { leaseMs: hour }), { state: 'suspended', attempt: 1 })
    assert.deepEqual(await store.claimRun('a', { leaseMs: hour }), { state: 'running' })
    assert.equal(await store.releaseRun('a'), 'running')
    const found = await store.getRun('a')
    assert.ok(found?.state === 'running' && found.attempt === 1)
    assert.ok(found.leaseUntil >= before + hour && found.leaseUntil <= Date.now() + hour)
    await store.endRun({ runId: 'a', attempt: 1 }, 'done')
    assert.equal(await store.releaseRun('b'), 'suspended')
    assert.deepEqual(await store.claimRun('a', { leaseMs: hour }), { state: 'done' })
    assert.equal(await store.releaseRun('a'), 'done')
    assert.deepEqual(await store.claimRun('b', { leaseMs: hour }), { state: 'released' })
    assert.deepEqual(await store.getRun('a'), { state: 'done' })
    assert.deepEqual(await store.getRun('b'), { state: 'released' })
    assert.equal(await store.claimRun('nonesuch', { leaseMs: hour }), undefined)
    assert.equal(await store.releaseRun('nonesuch'), undefined)
    assert.deepEqual(idsOf(await store.listRuns({})), ['c'])
  },

  'gives a run to one of many concurrent claims': async ({ store }) => {
    const owner = { resourceId: 'ada' }
    for (let round = 0; round < 5; round++) {
      const runId = `run-${round}`
      await store.saveRun(sampleRun(runId, owner))
      const asked = await Promise.all(
        Array.from({ length: 20 }, async (_, index) =>
          index % 2 === 0
            ? (await store.claimRun(runId, { leaseMs: hour, owner }))?.state
            : store.releaseRun(runId, owner),
        ),
      )
      const winner = asked.indexOf('suspended')
      assert.equal(asked.lastIndexOf('suspended'), winner)
      const state = winner % 2 === 0 ? 'running' : 'released'
      assert.deepEqual(new Set(asked), new Set(['suspended', state]))
      assert.equal((await store.getRun(runId, owner))?.state, state)
    }
  },

  'refuses a run id that was used before': async ({ store }) => {
    await store.saveRun(sampleRun('run', { resourceId: 'ada', snapshot: '"first"' }))
    for (const resourceId of ['ada', 'bob']) {
      await assertRefused('STORAGE_CONFLICT', () =>
        store.saveRun(sampleRun('run', { resourceId, snapshot: '"second"' })),
      )
    }
    const found = await store.getRun('run', { resourceId: 'ada' })
    assert.ok(found?.state === 'suspended' && found.run.snapshot === '"first"')
    await store.claimRun('run', { leaseMs: hour, owner: { resourceId: 'ada' } })
    await assertRefused('STORAGE_CONFLICT', () => store.saveRun(sampleRun('run', { resourceId: 'ada' })))
    await store.endRun({ runId: 'run', attempt: 1, resourceId: 'ada' }, 'done')
    await assertRefused('STORAGE_CONFLICT', () => store.saveRun(sampleRun('run', { resourceId: 'ada' })))
    assert.deepEqual(await store.getRun('run', { resourceId: 'ada' }), { state: 'done' })
  },

  'lists the runs of a thread, of a resource or of none, in the order of saving': async ({ store }) => {
    // Neither in the order of ids nor of timestamps.
    await store.saveRun(sampleRun('b', { threadId: 'one', resourceId: 'ada', createdAt: 3_000 }))
    await store.saveRun(sampleRun('c', { threadId: 'one', resourceId: 'bob', createdAt: 3_000 }))
    await store.saveRun(sampleRun('a', { threadId: 'two', resourceId: 'ada', createdAt: 3_000 }))
    await store.saveRun(sampleRun('d', { createdAt: 3_000 }))
    await store.saveRun(sampleRun('e', { threadId: 'one', createdAt: 3_000 }))
    assert.deepEqual(idsOf(await store.listRuns({})), ['d', 'e'])
    assert.deepEqual(idsOf(await store.listRuns({ resourceId: 'ada' })), ['b', 'a'])
    assert.deepEqual(idsOf(await store.listRuns({ threadId: 'one' })), ['e'])
    assert.deepEqual(idsOf(await store.listRuns({ threadId: 'one', resourceId: 'ada' })), ['b'])
    assert.deepEqual(idsOf(await store.listRuns({ threadId: 'two', resourceId: 'bob' })), [])
    await store.releaseRun('b', { resourceId: 'ada' })
    assert.deepEqual(idsOf(await store.listRuns({ resourceId: 'ada' })), ['a'])
  },

  'lists the runs of all resources only if they are asked for': async ({ store }) => {
    await store.saveRun(sampleRun('a', { threadId: 'one', resourceId: 'ada' }))
    await store.saveRun(sampleRun('b', { threadId: 'one', resourceId: 'bob' }))
    await store.saveRun(sampleRun('c', { threadId: 'two' }))
    for (const filter of [undefined, {}, { resourceId: undefined }, { allResources: false }]) {
      assert.deepEqual(idsOf(await store.listRuns(filter)), ['c'])
    }
    assert.deepEqual(idsOf(await store.listRuns({ resourceId: undefined, threadId: 'one' })), [])
    assert.deepEqual(idsOf(await store.listRuns({ allResources: true })), ['a', 'b', 'c'])
    assert.deepEqual(idsOf(await store.listRuns({ allResources: true, threadId: 'one' })), ['a', 'b'])
    const unclear = [{ allResources: true, resourceId: 'ada' }, { allResources: 'ada' as never }]
    for (const filter of unclear) await assertRefused('STORAGE_INPUT_INVALID', () => store.listRuns(filter))
  },

  'reports that a run has expired': async ({ store }) => {
    const now = Date.now()
    await store.saveRun(sampleRun('late', { createdAt: now - hour, expiresAt: now - 1 }))
    await store.saveRun(sampleRun('live'))
    assert.deepEqual(await store.getRun('late'), { state: 'expired' })
    assert.deepEqual(await store.claimRun('late', { leaseMs: hour }), { state: 'expired' })
    assert.equal(await store.releaseRun('late'), 'expired')
    assert.deepEqual(await store.getRun('late'), { state: 'expired' })
    assert.deepEqual(idsOf(await store.listRuns({})), ['live'])
    await assertRefused('STORAGE_CONFLICT', () => store.saveRun(sampleRun('late')))
  },

  'refuses a run with text that databases cannot store': async ({ store }) => {
    for (const snapshot of ['"\0"', '"\ud800"']) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.saveRun(sampleRun('run', { snapshot })))
    }
    assert.equal(await store.getRun('run'), undefined)
  },

  'stores up to a thousand unexpired runs of a resource': async ({ store }) => {
    const resourceId = 'ada'
    const now = Date.now()
    await store.saveRun(sampleRun('late', { resourceId, createdAt: now - hour, expiresAt: now - 1 }))
    for (let index = 0; index < 1_000; index++) await store.saveRun(sampleRun(`run-${index}`, { resourceId }))
    await assertRefused('RUN_LIMIT_REACHED', () => store.saveRun(sampleRun('more', { resourceId })))
    assert.equal(await store.getRun('more', { resourceId }), undefined)
    await store.saveRun(sampleRun('other', { resourceId: 'bob' }))
    await store.saveRun(sampleRun('nobodys'))
    await store.claimRun('run-8', { leaseMs: hour, owner: { resourceId } })
    await assertRefused('RUN_LIMIT_REACHED', () => store.saveRun(sampleRun('more', { resourceId })))
    await store.releaseRun('run-7', { resourceId })
    await store.saveRun(sampleRun('more', { resourceId }))
    await assertRefused('RUN_LIMIT_REACHED', () => store.saveRun(sampleRun('most', { resourceId })))
    assert.equal((await store.listRuns({ resourceId })).length, 999)
  },

  'stores runs of up to four megabytes, measured in bytes': async ({ store }) => {
    const limit = 4 * 1024 * 1024
    const bytes = (run: StoredRun): number => new TextEncoder().encode(JSON.stringify(run)).length
    const rest = (limit - bytes(sampleRun('run', { snapshot: '' }))) % 2
    const count = (limit - bytes(sampleRun('run', { snapshot: '' })) - rest) / 2
    const run = sampleRun('run', { snapshot: 'é'.repeat(count) + 'x'.repeat(rest) })
    assert.equal(bytes(run), limit)
    await assertRefused('RUN_TOO_LARGE', () => store.saveRun({ ...run, snapshot: `${run.snapshot}x` }))
    assert.equal(await store.getRun('run'), undefined)
    await store.saveRun(run)
    const found = await store.getRun('run')
    assert.ok(found?.state === 'suspended' && found.run.snapshot === run.snapshot)
  },
}
