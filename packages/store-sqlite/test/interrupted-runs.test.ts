import { Agent, isToolPart, type RunResult, type Store, type Tool } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel, toolCall } from '@millrace/testing'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { pathOf, remove } from './open-store.ts'

const name = `millrace_interrupted_runs_${process.pid}`
afterEach(() => remove(name))

const owner = { resourceId: 'ada' }

/** Asks before it pays twice, side by side. A run of a store that fails is left at once, or when its lease has lapsed. */
function payingAgent(storage: Store, executed: string[]): Agent {
  const pay: Tool = {
    inputSchema: z.object({}).loose(),
    needsApproval: true,
    execute: (_input, { toolCallId }) => {
      executed.push(toolCallId)
      return 'receipt '.repeat(100)
    },
  }
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? 'Paid.'
      : ['one', 'two'].map((id) => toolCall('pay', {}, { id })),
  )
  return new Agent({ model, storage, tools: { pay }, runLease: 20, checkpoint: 'step' })
}

/** The run to its end, as far as the store lets it. */
async function pay(store: Store, executed: string[]): Promise<RunResult | undefined> {
  const agent = payingAgent(store, executed)
  try {
    const waiting = await agent.generate('Pay', owner)
    return await agent.resume(waiting.runId, { approved: true }, owner)
  } catch {
    return undefined
  }
}

/** Continues what was left open, and says of calls that may have been executed whether they were. */
async function settle(store: Store, executed: readonly string[]): Promise<RunResult[]> {
  const agent = payingAgent(store, executed as string[])
  const results: RunResult[] = []
  const until = performance.now() + 80
  while (performance.now() < until) {
    const [run] = await agent.suspendedRuns(owner)
    if (!run) await new Promise((resolve) => setTimeout(resolve, 5))
    else {
      const { type, toolCalls = [] } = (run.payload ?? {}) as {
        type?: string
        toolCalls?: { toolCallId: string }[]
      }
      const answers = toolCalls.map(({ toolCallId }) => [
        toolCallId,
        executed.includes(toolCallId) ? { output: 'paid' } : { retry: true },
      ])
      const data = type === 'tool-approval' ? { approved: true } : Object.fromEntries(answers)
      results.push(await agent.resume(run.runId, run.interrupted ? undefined : data, owner))
    }
  }
  return results
}

function expectPaid(executed: readonly string[], results: readonly (RunResult | undefined)[]): void {
  expect(new Set(executed).size, 'a call was executed twice').toBe(executed.length)
  if (executed.length > 0) expect([...executed].sort()).toEqual(['one', 'two'])
  for (const result of results) {
    if (result?.status !== 'completed') continue
    const calls = result.messages.flatMap(({ content }) => content.parts.filter(isToolPart))
    expect(calls.map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  }
}

/** A database whose `failing`-th transaction fails with an I/O error: as it begins, or as it commits. */
function failing(
  at: number,
  when: 'BEGIN IMMEDIATE' | 'COMMIT',
): { database: Database.Database; count: () => number } {
  const database = new Database(pathOf(name))
  database.pragma('journal_mode = WAL')
  let transactions = 0
  const prepare = database.prepare.bind(database)
  database.prepare = ((sql: string) => {
    const statement = prepare(sql)
    if (sql !== when) return statement
    const run = statement.run.bind(statement)
    statement.run = (...parameters: never[]) => {
      if (++transactions === at) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
      return run(...parameters)
    }
    return statement
  }) as typeof database.prepare
  return { database, count: () => transactions }
}

test.each(['BEGIN IMMEDIATE', 'COMMIT'] as const)(
  'an I/O error at any write (%s) loses no call, and has none executed twice',
  async (when) => {
    await new SQLiteStore({ path: pathOf(name) }).migrate()
    for (let at = 1; ; at++) {
      const { database, count } = failing(at, when)
      const store = new SQLiteStore({ database, migrate: 'manual' })
      const executed: string[] = []
      const result = await pay(store, executed)
      const transactions = count()
      const healthy = new SQLiteStore({ path: pathOf(name) })
      const results = await settle(healthy, executed)
      expectPaid(executed, [result, ...results])
      // Whoever saw a run end with an error finds it again, unless nothing of it was ever stored.
      if (!result && at > 1) expect(results.map(({ status }) => status)).toContain('completed')
      expect(await healthy.listRuns(owner)).toEqual([])
      await store.close()
      await healthy.close()
      database.close()
      if (transactions < at) break
      expect(at).toBeLessThan(50)
    }
  },
  60_000,
)

test('a full disk at any write loses no call, and has none executed twice', async () => {
  const outcomes = new Set<string>()
  for (let room = 0; room < 30; room++) {
    remove(name)
    const database = new Database(pathOf(name))
    database.pragma('journal_mode = WAL')
    const store = new SQLiteStore({ database })
    await store.migrate()
    const pages = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${pages + room}`)
    const executed: string[] = []
    const result = await pay(store, executed)
    outcomes.add(result?.status ?? 'failed')
    database.pragma('max_page_count = 1000000')
    const results = await settle(store, executed)
    expectPaid(executed, [result, ...results])
    expect(await store.listRuns(owner)).toEqual([])
    await store.close()
    database.close()
    if (result?.status === 'completed') break
  }
  expect(outcomes).toContain('completed')
  expect(outcomes.size).toBeGreaterThan(1)
}, 60_000)
