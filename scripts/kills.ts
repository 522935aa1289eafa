// Kills processes at random while they work on runs, as often as told: `pnpm kills dbos 300`. What was done is counted from outside.
import { spawnSync } from 'node:child_process'
import { root } from './published-packages.ts'

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  dbos: ['packages/dbos/test/kills/kills.test.ts'],
  sqlite: ['packages/store-sqlite/test/conformance.test.ts', '-t', 'wherever a process was killed'],
  libsql: ['packages/store-libsql/test/conformance.test.ts', '-t', 'wherever a process was killed'],
  postgres: ['packages/store-postgres/test/processes.test.ts', '-t', 'wherever a process was killed'],
}

const [target = '', kills = '100'] = process.argv.slice(2)
const tests = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined
if (!tests || !/^[1-9]\d*$/.test(kills)) {
  console.error(`Usage: pnpm kills <${Object.keys(TARGETS).join('|')}> [number of kills, default 100]`)
  process.exit(2)
}
const { status } = spawnSync('vitest', ['run', ...tests], {
  cwd: root,
  env: { ...process.env, MILLRACE_KILLS: kills },
  stdio: 'inherit',
})
process.exit(status ?? 1)
