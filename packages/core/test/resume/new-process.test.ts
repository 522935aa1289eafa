import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { RunResult, RunStore, StoredRun } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { matchers } from '@millrace/testing/matchers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Order, Report } from './resume-runs.ts'
import { answerTo, essence, INPUT, type Scenario, type Stop, scenario } from './scenario.ts'

expect.extend(matchers)

const program = fileURLToPath(new URL('./resume-runs.ts', import.meta.url))

/** Has another process resume these runs, from their JSON. */
async function inNewProcess(orders: readonly Order[]): Promise<Report[]> {
  const child = spawn(process.execPath, ['--conditions=@millrace/source', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(orders))
  return JSON.parse(await text(child.stdout))
}

const owner = { resourceId: 'resource' }

async function storedRun(storage: RunStore, runId: string): Promise<StoredRun> {
  const found = await storage.getRun(runId, owner)
  if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
  return found.run
}

interface Interrupted {
  stop: Stop
  emit: 'live' | 'step'
  scene: Scenario
  result: RunResult
  stored: StoredRun
}

async function interrupt(stop: Stop, emit: 'live' | 'step'): Promise<Interrupted> {
  const storage = new InMemoryRunStore()
  const scene = scenario({ storage, stop, emit })
  const result = await scene.agent.generate(INPUT, { threadId: 'thread', resourceId: 'resource' })
  expect(result).toHaveStatus('suspended')
  return { stop, emit, scene, result, stored: await storedRun(storage, result.runId) }
}

/** A run that nothing interrupts, and the places it comes by. */
const whole = scenario({ storage: new InMemoryRunStore() })
const wholeResult = await whole.agent.generate(INPUT, { threadId: 'thread', resourceId: 'resource' })
const places = whole.visits.map((at, index) => ({
  at,
  visit: whole.visits.slice(0, index + 1).filter((visit) => visit === at).length,
}))
const cases = (['live', 'step'] as const).flatMap((emit) => places.map((stop) => ({ stop, emit, ...stop })))

test('the run reaches every point at which a run can wait', () => {
  expect(wholeResult).toHaveText('All done.')
  expect(wholeResult.messages).toPairEveryToolCall()
  expect([...new Set(whole.visits)].sort()).toEqual([
    'approval',
    'client',
    'execute',
    'processInput',
    'processInputStep',
    'processModelError',
    'processOutputResult',
    'processOutputStep',
    'processToolCall',
    'processToolResult',
    'processToolStep',
    'wrapModelCall',
  ])
})

describe('suspended once, and resumed in another process', () => {
  const interrupted: Interrupted[] = []
  let reports: Report[] = []
  let late: Report[] = []
  beforeAll(async () => {
    for (const { stop, emit } of cases) interrupted.push(await interrupt(stop, emit))
    const orders = interrupted.map(({ stop, emit, stored }) => ({ stop, emit, stored }))
    const [first] = orders as [Order]
    reports = await inNewProcess([
      ...orders,
      { ...first, without: 'counter' },
      { ...first, without: 'rescuer' },
    ])
    late = reports.splice(orders.length)
  })

  test.each(cases.map((one, index) => ({ ...one, index })))(
    "at $at, visit $visit, emit '$emit', it ends as without a suspension",
    ({ index }) => {
      const { scene } = interrupted[index] as Interrupted
      const report = reports[index] as Report
      expect(report.error).toBeUndefined()
      expect(report.end).toEqual(essence(wholeResult))
      expect(report.counted).toEqual(whole.counted)
      expect([...scene.executed, ...report.executed].sort()).toEqual([...whole.executed].sort())
    },
  )

  test('its usage so far is known', () => {
    for (const { result } of interrupted) {
      expect(result.usage.totalTokens ?? 0).toBeLessThanOrEqual(wholeResult.usage.totalTokens ?? 0)
    }
  })

  test('missing tools and processors are named', () => {
    expect(late[0]?.error).toBeUndefined()
    expect(late[1]?.error).toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining("'rescuer'"),
    })
  })
})

describe('suspended at every point, and each time resumed by a new agent', () => {
  test.each(['live', 'step'] as const)("it ends as without a suspension, with emit '%s'", async (emit) => {
    const executed: string[] = []
    const ids = new Set<string>()
    let storage = new InMemoryRunStore()
    let scene = scenario({ storage, stop: 'everywhere', emit })
    let result: RunResult = await scene.agent.generate(INPUT, owner)
    while (result.status === 'suspended' && ids.size < 100) {
      ids.add(result.runId)
      executed.push(...scene.executed)
      const stored = JSON.parse(JSON.stringify(await storedRun(storage, result.runId)))
      storage = new InMemoryRunStore()
      await storage.saveRun(stored)
      scene = scenario({ storage, stop: 'everywhere', emit })
      result = await scene.agent.resume(stored.runId, answerTo(stored.payload), owner)
    }
    executed.push(...scene.executed)
    expect(essence(result)).toEqual(essence(wholeResult))
    expect(executed.sort()).toEqual([...whole.executed].sort())
    expect(scene.counted).toEqual(whole.counted)
    // The approval and the output of the client are waited for together.
    expect(ids.size).toBe(places.length - 1)
  })
})

test('every missing tool and processor is named, and the run stays resumable', async () => {
  const { stored } = await interrupt({ at: 'processToolCall', visit: 6 }, 'live')
  const storage = new InMemoryRunStore()
  await storage.saveRun(stored)
  for (const without of ['waits', 'approved', 'client', 'read', 'editor', 'stopper', 'behind']) {
    const { agent } = scenario({ storage, without })
    await expect(agent.resume(stored.runId, {}, owner)).rejects.toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining(`'${without}'`),
    })
  }
  const { agent } = scenario({ storage, without: 'erase' })
  expect(await agent.resume(stored.runId, {}, owner)).toHaveText('All done.')
})
