// `pnpm check:quick`, before a commit: format and lint, types, and the tests of the changed packages that the changed
// files reach.
import { execFileSync, spawnSync } from 'node:child_process'
import { root } from './published-packages.ts'

const base = firstOf(['merge-base', 'HEAD', 'origin/main'], ['rev-parse', 'HEAD'])
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
// A folder of the workspace, such as packages/core, or a folder at the root.
const folders = [
  ...new Set(changed.map((file) => /^(?:packages|apps)\/[^/]+|^(?:scripts|examples)/.exec(file)?.[0])),
]
const tested = folders.filter((folder) => folder !== undefined)

process.exitCode =
  run('biome', 'check', '--error-on-warnings') ||
  run('tsc') ||
  (tested.length > 0 ? run('vitest', 'run', '--changed', base, '--passWithNoTests', ...tested) : 0)

function run(program: string, ...args: string[]): number {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function git(...args: string[]): string[] {
  const output = execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return output.split('\n').filter((line) => line !== '')
}

/** The first line of the first of these commands of git that succeeds. */
function firstOf(...commands: string[][]): string {
  for (const args of commands) {
    try {
      return git(...args)[0] ?? 'HEAD'
    } catch {
      // A clone without a remote, or with another name of it.
    }
  }
  return 'HEAD'
}
