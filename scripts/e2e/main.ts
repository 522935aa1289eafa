// Drives the pages of the workspace in a real browser: builds each, finds or installs a Chromium, runs the tests.
// `pnpm e2e`, or one of them by name: `pnpm e2e studio`. Further arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findBrowser } from './find-browser.ts'

const ROOT = join(import.meta.dirname, '../..')
const SUITES: Readonly<Record<string, string>> = {
  chat: 'apps/chat',
  docs: 'apps/docs',
  studio: 'packages/studio',
}

const [first = '', ...rest] = process.argv.slice(2)
const isNamed = Object.hasOwn(SUITES, first)
const names = isNamed ? [first] : Object.keys(SUITES)
const options = isNamed || first === '' ? rest : [first, ...rest]

try {
  const browser = await findBrowser()
  console.log(`Browser: ${browser}`)
  process.exitCode = 0
  for (const name of names) {
    const folder = join(ROOT, SUITES[name] ?? '')
    run('pnpm', ['--dir', folder, 'run', 'build:page'])
    run('vitest', ['run', '--root', join(folder, 'e2e'), ...options], { CHROMIUM_PATH: browser })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** A suite that fails does not keep the next one from running. */
function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exitCode = status ?? 1
}
