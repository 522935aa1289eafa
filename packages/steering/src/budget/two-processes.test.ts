import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel } from '@millrace/testing'
import { expect, test } from 'vitest'
import { CostGuard } from '../cost-guard/index.ts'

/** The output of each process at its end. */
interface Report {
  readonly completed: number
  readonly denied: number
  readonly money: number
}

const modules = Object.fromEntries(
  ['cost-guard', 'rate-limit'].map((name) => [name, new URL(`../${name}/index.ts`, import.meta.url).href]),
)

/** A process that makes concurrent runs with the processor, on a store in a file. It waits for a start signal. */
function runsIn(
  path: string,
  processor: string,
  {
    model = "new ScriptedModel(() => ['Hello', finish({ usage })])",
    runs = 100,
  }: { model?: string; runs?: number } = {},
): ChildProcess {
  const code = `
    import { Agent } from '@millrace/core'
    import { SQLiteStore } from '@millrace/store-sqlite'
    import { finish, hang, ScriptedModel, tokens } from '@millrace/testing'
    import { CostGuard } from ${JSON.stringify(modules['cost-guard'])}
    import { RateLimit } from ${JSON.stringify(modules['rate-limit'])}
    const store = new SQLiteStore({ path: ${JSON.stringify(path)}, busyTimeout: 60_000 })
    let money = 0
    const onSpend = (event) => { money += event.money }
    const usage = tokens({ input: 10, output: 5 })
    const model = ${model}
    const agent = new Agent({ model, processors: [${processor}] })
    console.log('ready')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    const run = async () => (await agent.generate('Hi', { resourceId: 'r' })).status
    const statuses = await Promise.all(Array.from({ length: ${runs} }, run))
    await agent.close()
    await store.close()
    const count = (status) => statuses.filter((other) => other === status).length
    console.log(JSON.stringify({ completed: count('completed'), denied: count('tripwire'), money }))
    process.exit()`
  const flags = ['--conditions=@millrace/source', '--input-type=module', '-e', code]
  return spawn(process.execPath, flags, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

async function inTwoProcesses(
  processor: string,
): Promise<{ reports: Report[]; keys: Record<string, number> }> {
  const folder = mkdtempSync(join(tmpdir(), 'budget-'))
  const path = join(folder, 'store.db')
  const store = new SQLiteStore({ path })
  try {
    await store.migrate()
    const processes = [runsIn(path, processor), runsIn(path, processor)]
    const outputs = processes.map(({ stdout }) => {
      let text = ''
      stdout?.on('data', (piece) => {
        text += piece
      })
      return () => text
    })
    await Promise.all(processes.map(({ stdout }) => once(stdout as NodeJS.EventEmitter, 'data')))
    for (const { stdin } of processes) stdin?.write('go\n')
    await Promise.all(processes.map((process) => once(process, 'close')))
    const reports = outputs.map((text) => JSON.parse(text().trim().split('\n').at(-1) as string) as Report)
    const { value } = await store.addToCounter({
      resourceId: 'r',
      key: 'cost-guard:resource:money',
      amount: 0,
    })
    return { reports, keys: { money: value } }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

test('of 200 runs in two processes, exactly as many pass as there is money for', {
  timeout: 120_000,
}, async () => {
  // A run costs 3.
  const prices = "{ 'scripted-model': { input: 100_000, output: 400_000 } }"
  const { reports, keys } = await inTwoProcesses(
    `new CostGuard({ store, prices: ${prices}, limits: [{ money: 77 * 3 + 2 }], onSpend, inputTokens: () => 10, maxOutputTokens: 5, minOutputTokens: 5 })`,
  )
  expect(sum(reports.map(({ completed }) => completed))).toBe(77)
  expect(sum(reports.map(({ denied }) => denied))).toBe(123)
  expect(sum(reports.map(({ money }) => money))).toBe(231)
  expect(keys.money).toBe(231e9)
})

test('the reservation of a killed process is released', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'budget-'))
  const path = join(folder, 'store.db')
  const store = new SQLiteStore({ path })
  try {
    await store.migrate()
    const guard = (leaseMs: number) => ({ limits: [{ calls: 1 }], leaseMs })
    const stuck = runsIn(path, `new CostGuard({ store, ...${JSON.stringify(guard(1))} })`, {
      model: "new ScriptedModel(() => { console.log('called'); return [hang()] })",
      runs: 1,
    })
    stuck.stdout?.setEncoding('utf8')
    await once(stuck.stdout as NodeJS.EventEmitter, 'data')
    stuck.stdin?.write('go\n')
    await once(stuck.stdout as NodeJS.EventEmitter, 'data')
    stuck.kill('SIGKILL')
    await once(stuck, 'close')
    const model = new ScriptedModel(() => 'Hello')
    const agent = new Agent({ model, processors: [new CostGuard({ store, ...guard(60_000) })] })
    const run = () => agent.generate('Hi', { resourceId: 'r' })
    const statuses = (await Promise.all(Array.from({ length: 10 }, run))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'completed')).toHaveLength(1)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})

test('of 200 runs in two processes, exactly as many pass as the window allows', {
  timeout: 120_000,
}, async () => {
  const { reports } = await inTwoProcesses(
    'new RateLimit({ store, limits: [{ limit: 77, windowMs: 10 ** 12 }] })',
  )
  expect(sum(reports.map(({ completed }) => completed))).toBe(77)
  expect(sum(reports.map(({ denied }) => denied))).toBe(123)
})
