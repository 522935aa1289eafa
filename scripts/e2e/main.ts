// Runs a suite in a browser: builds its page, finds or installs a Chromium, and passes further arguments to vitest.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findBrowser } from './find-browser.ts'

const ROOT = join(import.meta.dirname, '../..')
const SUITES: Readonly<Record<string, string>> = {
  chat: 'apps/chat',
  docs: 'apps/docs',
  studio: 'packages/studio',
}

const [name = '', ...options] = process.argv.slice(2)
const folder = join(ROOT, SUITES[name] ?? '')

try {
  if (!Object.hasOwn(SUITES, name))
    throw new Error(`'${name}' is no suite. Use ${Object.keys(SUITES).join(', ')}.`)
  const browser = await findBrowser()
  console.log(`Browser: ${browser}`)
  process.exitCode =
    run('pnpm', ['--dir', folder, 'run', 'build:page']) ||
    run('vitest', ['run', '--root', join(folder, 'e2e'), ...options], { CHROMIUM_PATH: browser })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1
}
