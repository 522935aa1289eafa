// Tests the mounts of @millrace/server on Next, Bun, Deno and workerd, which are installed in a separate folder with its
// own lockfile. Arguments are passed to vitest: `pnpm e2e mounts -t deno`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './published-packages.ts'
import { installSeparately } from './separate-install.ts'

const runtimes = join(root, 'packages/server/mounts/runtimes')
if (installSeparately(runtimes, { command: 'pnpm e2e mounts', scripts: true })) {
  const { status } = spawnSync('vitest', ['run', '--root', runtimes, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} else {
  process.exitCode = 1
}
