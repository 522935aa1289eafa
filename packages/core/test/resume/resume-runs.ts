import { text } from 'node:stream/consumers'
import type { RunResult, StoredRun } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { answerTo, essence, type ScenarioOptions, scenario } from './scenario.ts'

/** A run that another process has suspended. */
export interface Order extends Omit<ScenarioOptions, 'storage'> {
  stored: StoredRun
}

export interface Report {
  end?: unknown
  executed: string[]
  counted: Record<string, unknown>
  error?: { code: string; message: string }
}

const owner = { resourceId: 'resource' }

/** Suspensions after which a run is taken for one that never ends. */
const MOST = 100

/** Resumes runs with an agent built anew, until they end. */
export async function resumeAll(orders: readonly Order[]): Promise<Report[]> {
  return await Promise.all(orders.map(resume))
}

async function resume({ stored, ...options }: Order): Promise<Report> {
  const storage = new InMemoryRunStore()
  await storage.saveRun(stored)
  const { agent, executed, counted } = scenario({ ...options, storage })
  try {
    let result: RunResult = await agent.resume(stored.runId, answerTo(stored.payload), owner)
    for (let count = 0; result.status === 'suspended' && count < MOST; count++) {
      const { runId, payload } = result.suspension
      result = await agent.resume(runId, answerTo(payload), owner)
    }
    return { end: essence(result), executed, counted }
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return { executed, counted, error: { code, message } }
  }
}

if (import.meta.main) {
  const reports = await resumeAll(JSON.parse(await text(process.stdin)))
  process.stdout.write(JSON.stringify(reports))
}
