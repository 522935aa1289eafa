// Checks the spelling of the documentation. The checker and the project's words are in a separate folder with its own
// lockfile.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './published-packages.ts'
import { installSeparately } from './separate-install.ts'
import { documents } from './words.ts'

const folder = join(root, 'scripts/spelling')
if (installSeparately(folder, { command: 'pnpm check spelling' })) {
  const options = ['lint', '--no-progress', '--no-gitignore', '--config', join(folder, 'cspell.json')]
  const { status } = spawnSync(join(folder, 'node_modules/.bin/cspell'), [...options, ...documents()], {
    cwd: root,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} else {
  process.exitCode = 1
}
