// The documentation site: `build` writes it to apps/docs/dist, `preview` serves the build, `dev` serves it with hot reload.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './published-packages.ts'
import { installSeparately } from './separate-install.ts'

const folder = join(root, 'apps/docs')
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  dev: ['vitepress dev'],
  // TypeDoc runs last, because VitePress empties the folder first.
  build: ['tsc', 'vitepress build', 'typedoc'],
  preview: ['vitepress preview'],
}

/** How warnings of VitePress, Vite, Rollup and TypeDoc start. */
const WARNING = /\bwarn(?:ing)?\b|^\(!\)/im

const [task = '', ...args] = process.argv.slice(2)
const commands = COMMANDS[task]
if (!commands) {
  console.error(`There is no task '${task}'. Use one of ${Object.keys(COMMANDS).join(', ')}.`)
  process.exitCode = 2
} else if (!installSeparately(folder, { command: `pnpm site ${task}` })) {
  process.exitCode = 1
} else {
  process.exitCode = runAll(commands)
}

/** Runs the commands until one fails. A build also fails on warnings. */
function runAll(commands: readonly string[]): number {
  for (const command of commands) {
    const [name = '', ...words] = command.split(' ')
    const { status, stdout, stderr } = spawnSync(
      join(folder, 'node_modules/.bin', name),
      [...words, ...args],
      { cwd: folder, stdio: task === 'build' ? 'pipe' : 'inherit', encoding: 'utf8' },
    )
    const output = `${stdout ?? ''}${stderr ?? ''}`
    process.stdout.write(output)
    if (status !== 0) return status ?? 1
    if (WARNING.test(output)) {
      console.error(`pnpm site ${task} has warnings, see above.`)
      return 1
    }
  }
  return 0
}
