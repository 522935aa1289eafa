import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newPage, useBrowser } from '../../../scripts/e2e/browser.ts'
import { answered, ask } from './scene.ts'

useBrowser()

test('a restart of the command continues conversations and waiting runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-chat-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'chat.db')
  const page = await newPage()

  const first = await startCommand(database)
  await page.goto(first.url)
  await ask(page, 'Where is my order 1042?')
  await answered(page)
  await ask(page, 'Please refund order 1042')
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  const { pathname } = new URL(page.url())
  expect(await first.end()).toBe(0)

  const second = await startCommand(database)
  await page.goto(`${second.url}${pathname}`)
  await page.getByText('Order 1042 is on its way to you.').waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('I refunded €48.00 for order 1042.').waitFor()
  expect(await second.end()).toBe(0)
})

/** Starts the program of `pnpm chat`. */
async function startCommand(database: string): Promise<{ url: string; end: () => Promise<unknown> }> {
  const main = join(import.meta.dirname, '../src/main.ts')
  const child = spawn(
    process.execPath,
    ['--conditions=@millrace/source', main, '--port', '0', '--database', database],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exit = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    url: await addressOf(child, exit),
    async end() {
      child.kill('SIGTERM')
      const [code] = await exit
      return code
    },
  }
}

async function addressOf({ stdout }: ChildProcess, exit: Promise<unknown>): Promise<string> {
  return await new Promise((resolve, reject) => {
    let output = ''
    stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      const [, url] = /Open (http:\S+)/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
    exit.then(() => reject(new Error(`The command exited: ${output}`)), reject)
  })
}
