import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Chunk } from '@millrace/core'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startDatabase } from '../database.ts'
import { type Report, writing } from './application.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

const server = await startDatabase()
// The test process only reads. Its application version differs, so that it executes no workflows.
DBOS.setConfig({
  name: 'placeholders',
  systemDatabaseUrl: server.url,
  applicationVersion: 'reader',
  executorID: 'reader',
  logLevel: 'error',
})
await DBOS.launch()
const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await DBOS.shutdown()
  await server.stop()
})

/** Starts a process. `hangs` resolves when it waits for the model, which never answers. */
function work(options: { hangsAt?: number } = {}) {
  const child = spawn(process.execPath, ['--conditions=@millrace/source', WORKER], {
    env: { ...process.env, MILLRACE_DATABASE: server.url, MILLRACE_HANGS_AT: String(options.hangsAt) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const reports: Report[] = []
  const hangs = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const report: Report = JSON.parse(line)
      reports.push(report)
      if (report.type === 'asked' && report.step === options.hangsAt) resolve()
    })
    child.once('exit', () => reject(new Error(`The process has ended after ${JSON.stringify(reports)}.`)))
  })
  hangs.catch(() => {})
  return { child, reports, hangs }
}

const mailed = (reports: readonly Report[]) =>
  reports.flatMap((report) => (report.type === 'mailed' ? [report.to] : []))

/** The recorded outputs of the steps, except the result, which is stored as readers get it. */
async function storedSteps(): Promise<string> {
  const client = new pg.Client(server.url)
  await client.connect()
  const { rows } = await client.query('SELECT output FROM dbos.operation_outputs WHERE output IS NOT NULL')
  await client.end()
  const outputs: string[] = rows.map(({ output }) => output.replaceAll('\\', ''))
  return outputs.filter((output) => !output.includes('"to":"end"')).join('\n')
}

test('tools and readers get the originals of placeholders in a process that takes over a run', async () => {
  const first = work({ hangsAt: 1 })
  await first.hangs
  expect(mailed(first.reports)).toEqual(['jo@example.com'])
  first.child.kill('SIGKILL')

  const second = work()
  const run = await writing.retrieve('run')
  const chunks: Chunk[] = []
  for await (const chunk of run.stream()) chunks.push(chunk)
  // The address from the tool result of the first process, and the one from the user.
  expect(mailed(second.reports)).toEqual(['al@example.org'])
  const { text, messages } = await run.result()
  expect(text).toBe('jo@example.com and al@example.org have it.')
  expect(JSON.stringify([chunks, messages])).not.toContain('[EMAIL')
  expect(chunks.filter(({ type }) => type === 'tool-call')).toMatchObject([
    { input: { to: 'jo@example.com' } },
    { input: { to: 'al@example.org' } },
  ])
  // The state of the run has the addresses in encrypted form only.
  const stored = await storedSteps()
  expect(stored).toContain('[EMAIL')
  expect(stored).not.toMatch(/jo@|al@/)
})
