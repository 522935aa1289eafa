import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InMemoryRunStore } from './in-memory-run-store.ts'
import type { StoredRun } from './run-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const HOUR = 60 * 60 * 1000

function runOf(runId: string, fields: Partial<StoredRun> = {}): StoredRun {
  const createdAt = Date.now()
  return {
    runId,
    agentName: 'agent',
    payload: { runId },
    createdAt,
    expiresAt: createdAt + HOUR,
    snapshot: '{}',
    ...fields,
  }
}

test('returns what was saved, unchanged', async () => {
  const store = new InMemoryRunStore()
  const run = runOf('a', {
    threadId: 't',
    resourceId: 'r',
    processorId: 'p',
    hook: 'processInput',
    snapshot: '{"é":1}',
  })
  await store.saveRun(run)
  expect(await store.getRun('a', { resourceId: 'r' })).toEqual({ state: 'suspended', run })
  expect(await store.getRun('b')).toBeUndefined()
})

test('keeps its own copy: edits outside have no effect', async () => {
  const store = new InMemoryRunStore()
  const run = runOf('a', { payload: { price: 1 } })
  await store.saveRun(run)
  const edit = (payload: unknown) => Object.assign(payload as object, { price: 2 })
  edit(run.payload)
  for (const { payload } of await store.listRuns({})) edit(payload)
  const found = await store.getRun('a')
  if (found?.state === 'suspended') edit(found.run.payload)
  expect(await store.getRun('a')).toMatchObject({ run: { payload: { price: 1 } } })
})

const lease = { leaseMs: 1_000 }

test('gives a run to the first caller that claims it, and returns its state to the others', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('a'))
  await store.saveRun(runOf('b'))
  expect(
    await Promise.all([store.claimRun('a', lease), store.claimRun('a', lease), store.releaseRun('a')]),
  ).toEqual([{ state: 'suspended', attempt: 1 }, { state: 'running' }, 'running'])
  expect(await store.getRun('a')).toEqual({ state: 'running', attempt: 1, leaseUntil: 1_000 })
  await store.endRun({ runId: 'a', attempt: 1 }, 'done')
  expect(await store.releaseRun('b')).toBe('suspended')
  expect(await store.getRun('a')).toEqual({ state: 'done' })
  expect(await store.claimRun('b', lease)).toEqual({ state: 'released' })
  expect(await store.claimRun('nonesuch', lease)).toBeUndefined()
})

test('lists a run whose lease has expired as interrupted, for the next attempt to claim', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('a'))
  await store.claimRun('a', { ...lease, data: '"yes"' })
  expect(await store.listRuns({})).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(await store.listRuns({})).toMatchObject([{ runId: 'a', interrupted: { attempts: 1, calls: [] } }])
  expect(await store.getRun('a')).toMatchObject({
    state: 'interrupted',
    attempt: 1,
    version: 1,
    data: '"yes"',
  })
  // Nobody else has it: the attempt goes on.
  await store.updateRun({ runId: 'a', attempt: 1 }, lease)
  expect(await store.claimRun('a', lease)).toEqual({ state: 'running' })
  vi.advanceTimersByTime(1_000)
  expect(await store.claimRun('a', { ...lease, ifVersion: 1 })).toEqual({ state: 'interrupted' })
  expect(await store.claimRun('a', { ...lease, ifVersion: 2 })).toEqual({ state: 'interrupted', attempt: 2 })
  await expect(store.updateRun({ runId: 'a', attempt: 1 }, lease)).rejects.toMatchObject({
    code: 'RUN_LEASE_LOST',
  })
})

test('keeps an interrupted run for the given time after the lease, and a suspended one until its expiry', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('a', { expiresAt: 10 }))
  await store.claimRun('a', { ...lease, expiresIn: HOUR })
  vi.advanceTimersByTime(1_000 + HOUR - 1)
  expect(await store.getRun('a')).toMatchObject({ state: 'interrupted' })
  vi.advanceTimersByTime(1)
  expect(await store.getRun('a')).toEqual({ state: 'expired' })
})

test('lists those that can still be resumed, oldest first, of a thread or resource, without their snapshot', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('b', { threadId: 't', resourceId: 'r' }))
  await store.saveRun(runOf('a', { threadId: 't' }))
  await store.saveRun(runOf('d', { expiresAt: 1 }))
  await store.saveRun(runOf('c', { resourceId: 'r' }))
  await store.claimRun('c', { ...lease, owner: { resourceId: 'r' } })
  vi.advanceTimersByTime(1)
  const { snapshot: _, ...first } = runOf('b', {
    threadId: 't',
    resourceId: 'r',
    createdAt: 0,
    expiresAt: HOUR,
  })
  const runs = await store.listRuns({ allResources: true })
  expect(runs[0]).toEqual(first)
  expect(runs.map(({ runId }) => runId)).toEqual(['b', 'a'])
  expect((await store.listRuns({ resourceId: 'r' })).map(({ runId }) => runId)).toEqual(['b'])
  expect(await store.listRuns({ threadId: 't', resourceId: 'x' })).toEqual([])
})

test('reports for a day that a run has expired, and then forgets it', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('a'))
  vi.advanceTimersByTime(HOUR - 1)
  expect(await store.getRun('a')).toMatchObject({ state: 'suspended' })
  vi.advanceTimersByTime(1)
  expect(await store.getRun('a')).toEqual({ state: 'expired' })
  expect(await store.claimRun('a', lease)).toEqual({ state: 'expired' })
  vi.advanceTimersByTime(24 * HOUR)
  expect(await store.getRun('a')).toBeUndefined()
  expect(await store.claimRun('a', lease)).toBeUndefined()
})

test('has room again when a run has expired', async () => {
  const store = new InMemoryRunStore({ maxRuns: 1 })
  await store.saveRun(runOf('a'))
  await expect(store.saveRun(runOf('b'))).rejects.toMatchObject({ code: 'RUN_LIMIT_REACHED' })
  vi.advanceTimersByTime(HOUR)
  await store.saveRun(runOf('b'))
  expect(await store.getRun('b')).toMatchObject({ state: 'suspended' })
})

test('counts bytes and not characters, including the payload', async () => {
  const bytes = new TextEncoder().encode(
    JSON.stringify(runOf('a', { snapshot: '"éé"', payload: 'é' })),
  ).length
  const run = runOf('a', { snapshot: '"éé"', payload: 'é' })
  await expect(new InMemoryRunStore({ maxRunBytes: bytes - 1 }).saveRun(run)).rejects.toMatchObject({
    code: 'RUN_TOO_LARGE',
    message: expect.stringContaining(`${bytes} bytes`),
  })
  await new InMemoryRunStore({ maxRunBytes: bytes }).saveRun(run)
})
