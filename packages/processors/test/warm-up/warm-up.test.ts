import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'first-message.ts')

interface FirstMessage {
  text: string
  /** Modules, by address. */
  loaded: string[]
  /** Of the first message, in microseconds. */
  cpu: number
}

async function firstMessage(mode: 'cold' | 'warm-up'): Promise<FirstMessage> {
  const flags = ['--conditions=@millrace/source', PROGRAM, mode]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  return JSON.parse(stdout) as FirstMessage
}

test('after warmUp(), the first message loads no module, and costs a fraction of what it would', async () => {
  const cold = await firstMessage('cold')
  const warm = await firstMessage('warm-up')
  expect([cold.text, warm.text]).toEqual(['Fine, thanks.', 'Fine, thanks.'])
  expect(cold.loaded.length).toBeGreaterThan(50)
  expect(warm.loaded).toEqual([])
  expect(warm.cpu).toBeLessThan(cold.cpu / 4)
}, 120_000)
