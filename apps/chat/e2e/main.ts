// Drives the chat in a real browser: builds the page, finds or installs a Chromium, runs the tests. Arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { buildPage } from '../src/build-page.ts'
import { findBrowser } from './find-browser.ts'

try {
  const browser = await findBrowser()
  console.log(`Browser: ${browser}`)
  await buildPage()
  const { status } = spawnSync('vitest', ['run', '--root', import.meta.dirname, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, CHROMIUM_PATH: browser },
  })
  process.exitCode = status ?? 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
