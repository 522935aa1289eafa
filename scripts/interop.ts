// Tests @millrace/interop against the real frameworks, which are installed in a separate folder with its own lockfile.
// Arguments are passed to vitest: `pnpm e2e interop mastra`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './published-packages.ts'
import { installSeparately } from './separate-install.ts'

const peers = join(root, 'packages/interop/peers')
if (installSeparately(peers, { command: 'pnpm e2e interop' })) {
  const { status } = spawnSync('vitest', ['run', '--root', peers, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} else {
  process.exitCode = 1
}
