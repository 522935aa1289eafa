import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { expect, test } from 'vitest'
import { Memory } from '../src/index.ts'
import { lines } from './texts.ts'

expect.extend(matchers)

const place = { threadId: 'thread-1', resourceId: 'user-1' }

test("with persist: 'step', a killed process loses only the current step, and the thread can continue", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-memory-'))
  const path = join(folder, 'memory.db')
  const program = fileURLToPath(new URL('dying-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@millrace/source', program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout, 'data')
  expect(String(said)).toBe('waiting')
  child.kill('SIGKILL')
  await once(child, 'close')

  const storage = new SQLiteStore({ path })
  const memory = new Memory({ storage, persist: 'step' })
  expect(lines(await memory.getMessages(place))).toEqual(['user: Umbrella?', 'assistant: Let me look. '])
  const model = new ScriptedModel(['It rains.'])
  const result = await new Agent({ model, memory }).generate('Are you there?', place)
  expect(result).toHaveText('It rains.')
  expect(result.warnings).toEqual([])
  expect(model.lastPrompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(model.lastPrompt).toPairEveryToolCall()
  await storage.close()
  rmSync(folder, { recursive: true })
})
