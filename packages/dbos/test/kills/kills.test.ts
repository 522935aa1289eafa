import { DBOS } from '@dbos-inc/dbos-sdk'
import { type Chunk, isRecord } from '@millrace/core'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startDatabase } from '../database.ts'
import { agents, QUEUE } from './application.ts'
import { Workers } from './workers.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'
/** Set by `pnpm kills dbos <number>`. */
const { MILLRACE_KILLS: asked } = process.env
const KILLS = asked ? Number(asked) : isThorough ? 1_000 : 5
/** Concurrent campaigns. */
const CONCURRENT = KILLS > 100 ? 6 : KILLS > 5 ? 2 : 1
/**
 * Of so many actions, one is the last of its process. DBOS gives up a workflow whose process has died a
 * hundred times, so with many concurrent workflows a process must live longer.
 */
const ACTIONS_PER_LIFE = KILLS > 100 ? 8 : 4

const server = await startDatabase()
const workers = new Workers(server.url, () => {
  if (workers.kills >= KILLS || Math.random() > 1 / ACTIONS_PER_LIFE) return { kill: false }
  return { kill: true, after: Math.random() * 40, answered: Math.random() < 0.8 }
})
// The test process approves and reads. Its application version differs, so that it executes no workflows.
DBOS.setConfig({
  name: 'kills',
  systemDatabaseUrl: server.url,
  applicationVersion: 'reader',
  executorID: 'reader',
  logLevel: 'error',
})
await DBOS.launch()
await workers.start(3)
afterAll(async () => {
  await workers.stop()
  await DBOS.shutdown()
  await server.stop()
})

/** Recorded by `pnpm kills`. */
declare module 'vitest' {
  interface TaskMeta {
    kills?: number
    counts?: Record<string, number>
  }
}
afterEach(({ task }) => {
  task.meta.kills = workers.kills
})

/** Resumes every suspended run: approves calls, and reports the outcome of interrupted ones. */
async function answerAll(): Promise<void> {
  for (const agent of Object.values(agents)) {
    for (const { workflowId, payload } of await agent.suspendedRuns()) {
      const { type } = isRecord(payload) ? payload : {}
      const run = await agent.retrieve(workflowId)
      const answer = type === 'tool-approval' ? { approved: true } : { output: 'It was done.' }
      await run.resume(answer).catch((error) => {
        // The run was resumed already.
        if (error.code !== 'RUN_ALREADY_RESUMED') throw error
      })
    }
  }
}

/**
 * No action before the last recorded one is repeated, and no tool that must not be repeated is called twice.
 */
function expectNothingTwice(): void {
  const last = new Map<string, { rank: number; worker: string; action: string }>()
  const made = new Map<string, number>()
  for (const { label, kind, step, call, worker } of workers.actions) {
    const rank = 2 * step + (kind === 'tool' ? 1 : 0)
    const action = `${label} ${kind} ${step} ${call}`
    const before = last.get(label)
    if (before) expect(rank, `${action} comes after ${before.action}`).toBeGreaterThanOrEqual(before.rank)
    const again = workers.actions.filter(
      (one) => `${one.label} ${one.kind} ${one.step} ${one.call}` === action,
    )
    expect(new Set(again.map((one) => one.worker)).size, `${action} is done again by who did it`).toBe(
      again.length,
    )
    last.set(label, { rank, worker, action })
    made.set(action, (made.get(action) ?? 0) + 1)
  }
  for (const [action, count] of made)
    if (/draft-|publish-|announce-/.test(action)) expect(count, action).toBe(1)
}

/** Reads a run as a page that reloads does: a few chunks at a time, each time from its last offset. */
async function readWithReloads(workflowId: string): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for (;;) {
    let left = Math.ceil(Math.random() * 20)
    const run = await agents.researcher.retrieve(workflowId).catch(() => undefined)
    if (!run) {
      await pause()
      continue
    }
    const before = chunks.length
    for await (const chunk of run.stream({ from: before })) {
      chunks.push(chunk)
      if (--left === 0) break
    }
    if (left > 0) return chunks
    read.reloads++
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 150))

/** The text of a reader that applies `step-discarded`. */
function textRead(chunks: readonly Chunk[]): string[] {
  const texts: string[] = []
  for (const chunk of chunks) {
    if (chunk.type === 'step-start' || chunk.type === 'step-discarded') texts[chunk.stepNumber] = ''
    if (chunk.type === 'text-delta') texts[texts.length - 1] += chunk.textDelta
  }
  return texts
}

/** What readers have received. */
const read = { chunks: 0, reloads: 0, discarded: 0 }

async function runCampaign(label: string): Promise<void> {
  const { getResult } = await DBOS.enqueueWorkflowWithOptions<string[]>(
    { workflowName: 'campaign', queueName: QUEUE, appVersion: 'workers', workflowID: label },
    label,
  ).then((handle) => ({ getResult: () => handle.getResult({ pollingIntervalMs: 500 }) }))
  const reading = readWithReloads(`${label}-0`)
  const texts = await getResult()
  expect(texts).toHaveLength(7)
  for (const text of texts) expect(text).toMatch(new RegExp(`^${label} .* says w\\d+ at \\d\\.`))
  const research = await agents.researcher.retrieve(`${label}-0`)
  const { steps } = await research.result()
  const chunks = await reading
  expect(textRead(chunks)).toEqual(steps.map(({ text }) => text))
  expect(chunks.filter(({ type }) => type === 'start' || type === 'finish')).toHaveLength(2)
  const whole: Chunk[] = []
  for await (const chunk of research.stream()) whole.push(chunk)
  expect(chunks).toEqual(whole)
  read.chunks += chunks.length
  read.discarded += chunks.filter(({ type }) => type === 'step-discarded').length
}

/** The counts of actions. */
function countsOf(campaigns: number): Record<string, number> {
  const of = (kind: string) => workers.actions.filter((action) => action.kind === kind)
  const once = (kind: string) =>
    new Set(of(kind).map(({ label, step, call }) => `${label} ${step} ${call}`)).size
  return {
    workflows: campaigns,
    'agent runs': campaigns * 8,
    'model calls': of('model').length,
    'of them again, after a kill': of('model').length - once('model'),
    'tool calls': of('tool').length,
    'of them again, of tools that say retry': of('tool').length - once('tool'),
    'chunks read, each once and in order': read.chunks,
    'reloads of readers': read.reloads,
    'steps taken back from readers': read.discarded,
  }
}

test(
  'a workflow of agents ends, killed anywhere, and nothing that was recorded is done again',
  async ({ task }) => {
    let round = 0
    for (; workers.kills < KILLS; round++) {
      let isOver = false
      const campaigns = Promise.all(
        Array.from({ length: CONCURRENT }, (_, index) => runCampaign(`c${round}-${index}`)),
      ).finally(() => {
        isOver = true
      })
      campaigns.catch(() => {})
      while (!isOver) {
        await answerAll()
        await pause()
      }
      await campaigns
      if (asked) console.info(`${workers.kills} of ${KILLS} kills`)
    }
    expectNothingTwice()
    task.meta.counts = countsOf(round * CONCURRENT)
    if (asked) console.info(JSON.stringify({ kills: workers.kills, ...task.meta.counts }, null, 2))
  },
  KILLS > 12 ? 3 * 60 * 60 * 1_000 : 600_000,
)
