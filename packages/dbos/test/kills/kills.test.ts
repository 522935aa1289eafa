import { DBOS } from '@dbos-inc/dbos-sdk'
import { type Chunk, isRecord } from '@millrace/core'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startDatabase } from '../database.ts'
import { agents, QUEUE } from './application.ts'
import { Workers } from './workers.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'
/** `pnpm kills dbos <number>` says how many. */
const { MILLRACE_KILLS: asked } = process.env
const KILLS = asked ? Number(asked) : isThorough ? 1_000 : 5
/** Campaigns at the same time. */
const AT_ONCE = KILLS > 100 ? 6 : KILLS > 5 ? 2 : 1
/**
 * One of so many deeds is the last of who does it. DBOS gives up a workflow whose process has died a hundred times: where many are
 * under way at once, a life has to be long enough for each to come further.
 */
const LIVES = KILLS > 100 ? 8 : 4

const server = await startDatabase()
const workers = new Workers(server.url, () => {
  if (workers.kills >= KILLS || Math.random() > 1 / LIVES) return { kill: false }
  return { kill: true, after: Math.random() * 40, answered: Math.random() < 0.8 }
})
// Who approves and reads is a fourth process: its version of the application is another one, so that it runs none of it.
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

/** What `pnpm kills` records. */
declare module 'vitest' {
  interface TaskMeta {
    kills?: number
    counts?: Record<string, number>
  }
}
afterEach(({ task }) => {
  task.meta.kills = workers.kills
})

/** Answers whatever waits: calls are approved, and what became of interrupted ones is told. */
async function answerAll(): Promise<void> {
  for (const agent of Object.values(agents)) {
    for (const { workflowId, payload } of await agent.suspendedRuns()) {
      const { type } = isRecord(payload) ? payload : {}
      const run = await agent.retrieve(workflowId)
      const answer = type === 'tool-approval' ? { approved: true } : { output: 'It was done.' }
      await run.resume(answer).catch((error) => {
        // The other answer came first.
        if (error.code !== 'RUN_ALREADY_RESUMED') throw error
      })
    }
  }
}

/** Nothing that was followed by something else is done again, and no call of a tool that may not be is made twice. */
function expectNothingTwice(): void {
  const last = new Map<string, { rank: number; worker: string; deed: string }>()
  const made = new Map<string, number>()
  for (const { label, kind, step, call, worker } of workers.deeds) {
    const rank = 2 * step + (kind === 'tool' ? 1 : 0)
    const deed = `${label} ${kind} ${step} ${call}`
    const before = last.get(label)
    if (before) expect(rank, `${deed} comes after ${before.deed}`).toBeGreaterThanOrEqual(before.rank)
    const again = workers.deeds.filter((one) => `${one.label} ${one.kind} ${one.step} ${one.call}` === deed)
    expect(new Set(again.map((one) => one.worker)).size, `${deed} is done again by who did it`).toBe(
      again.length,
    )
    last.set(label, { rank, worker, deed })
    made.set(deed, (made.get(deed) ?? 0) + 1)
  }
  for (const [deed, count] of made) if (/draft-|publish-|announce-/.test(deed)) expect(count, deed).toBe(1)
}

/** Reads a run as a page that is reloaded does: a few chunks at a time, each time from where it was. */
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

/** What a reader has of a run who takes steps back when told to. */
function textRead(chunks: readonly Chunk[]): string[] {
  const texts: string[] = []
  for (const chunk of chunks) {
    if (chunk.type === 'step-start' || chunk.type === 'step-discarded') texts[chunk.stepNumber] = ''
    if (chunk.type === 'text-delta') texts[texts.length - 1] += chunk.textDelta
  }
  return texts
}

/** What readers have read. */
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

/** What was done, as the world has counted it. */
function countsOf(campaigns: number): Record<string, number> {
  const of = (kind: string) => workers.deeds.filter((deed) => deed.kind === kind)
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
        Array.from({ length: AT_ONCE }, (_, index) => runCampaign(`c${round}-${index}`)),
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
    task.meta.counts = countsOf(round * AT_ONCE)
    if (asked) console.info(JSON.stringify({ kills: workers.kills, ...task.meta.counts }, null, 2))
  },
  KILLS > 12 ? 3 * 60 * 60 * 1_000 : 600_000,
)
