import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SQLiteStore } from '@millrace/store-sqlite'
import { collect } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { mailing, OWNER } from './taken-over-agent.ts'

expect.extend(matchers)

const WORKER = fileURLToPath(new URL('./taken-over-worker.ts', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-taken-over-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a process that takes over a run from its last step has the originals of all placeholders', async () => {
  const path = join(folder, 'runs.db')
  const child = spawn(process.execPath, ['--conditions=@millrace/source', WORKER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')

  const storage = new SQLiteStore({ path })
  try {
    await expect.poll(() => storage.listRuns(OWNER)).toHaveLength(1)
    const [{ runId } = { runId: '' }] = await storage.listRuns(OWNER)
    const stored = await storage.getRun(runId, OWNER)
    expect(JSON.stringify(stored)).toContain('[EMAIL_')
    for (const address of ['jo@example.com', 'eve@example.net', 'al@example.org'])
      expect(stored).toLeakNothingOf(address)

    const stream = mailing({ storage }).agent.resume(runId, undefined, OWNER)
    const chunks = await collect(stream.fullStream)
    const { text, messages } = await stream.result
    // Of the previous turn, of the user, and of the tool.
    expect(text).toBe('I know jo@example.com, eve@example.net, al@example.org.')
    expect(JSON.stringify([chunks, messages])).not.toContain('[EMAIL_')
  } finally {
    await storage.close()
  }
})
