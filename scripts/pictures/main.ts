// Takes the pictures of the documentation from the running programs, into apps/docs/pictures: `pnpm site pictures`, or `pnpm
// pictures terminal` for one of them. Further arguments are passed to vitest.
import { spawnSync } from 'node:child_process'
import { findBrowser } from '../e2e/find-browser.ts'
import { root } from '../published-packages.ts'

try {
  const browser = await findBrowser()
  for (const folder of ['apps/chat', 'packages/studio']) run('pnpm', ['--dir', folder, 'run', 'build:page'])
  run('vitest', ['run', '--root', 'scripts/pictures', ...process.argv.slice(2)], { CHROMIUM_PATH: browser })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`)
}
