// Runs the browser tests: builds the pages, finds or installs a Chromium, and runs the suites. `pnpm e2e` runs all, `pnpm
// e2e studio` one of them. Further arguments are passed to vitest.
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

/** Runs a suite. If it fails, the next suites still run. */
function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exitCode = status ?? 1
}
