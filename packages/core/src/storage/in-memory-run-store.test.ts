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

test('gives back what was saved, as it was', async () => {
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

test('keeps its own copy: what is edited outside changes nothing inside', async () => {
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

test('gives a run to the first who claims it, and tells the others what became of it', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('a'))
  await store.saveRun(runOf('b'))
  expect(await Promise.all([store.claimRun('a', 'resumed'), store.claimRun('a', 'released')])).toEqual([
    'suspended',
    'resumed',
  ])
  expect(await store.claimRun('b', 'released')).toBe('suspended')
  expect(await store.getRun('a')).toEqual({ state: 'resumed' })
  expect(await store.getRun('b')).toEqual({ state: 'released' })
  expect(await store.claimRun('nonesuch', 'resumed')).toBeUndefined()
})

test('lists those that can still be resumed, oldest first, of a thread or resource, without their snapshot', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('b', { threadId: 't', resourceId: 'r' }))
  await store.saveRun(runOf('a', { threadId: 't' }))
  await store.saveRun(runOf('d', { expiresAt: 1 }))
  await store.saveRun(runOf('c', { resourceId: 'r' }))
  await store.claimRun('c', 'resumed', { resourceId: 'r' })
  vi.advanceTimersByTime(1)
  const { snapshot: _, ...first } = runOf('b', {
    threadId: 't',
    resourceId: 'r',
    createdAt: 0,
    expiresAt: HOUR,
  })
  const runs = await store.listRuns({})
  expect(runs[0]).toEqual(first)
  expect(runs.map(({ runId }) => runId)).toEqual(['b', 'a'])
  expect((await store.listRuns({ resourceId: 'r' })).map(({ runId }) => runId)).toEqual(['b'])
  expect(await store.listRuns({ threadId: 't', resourceId: 'x' })).toEqual([])
})

test('says for a day after its time that a run came too late, and then knows nothing of it', async () => {
  const store = new InMemoryRunStore()
  await store.saveRun(runOf('a'))
  vi.advanceTimersByTime(HOUR - 1)
  expect(await store.getRun('a')).toMatchObject({ state: 'suspended' })
  vi.advanceTimersByTime(1)
  expect(await store.getRun('a')).toEqual({ state: 'expired' })
  expect(await store.claimRun('a', 'resumed')).toBe('expired')
  vi.advanceTimersByTime(24 * HOUR)
  expect(await store.getRun('a')).toBeUndefined()
  expect(await store.claimRun('a', 'resumed')).toBeUndefined()
})

test('has room again when a run has expired', async () => {
  const store = new InMemoryRunStore({ maxRuns: 1 })
  await store.saveRun(runOf('a'))
  await expect(store.saveRun(runOf('b'))).rejects.toMatchObject({ code: 'RUN_LIMIT_REACHED' })
  vi.advanceTimersByTime(HOUR)
  await store.saveRun(runOf('b'))
  expect(await store.getRun('b')).toMatchObject({ state: 'suspended' })
})

test('counts bytes and not characters, those of the payload too', async () => {
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
