// Tests @millrace/interop against the real frameworks, which are installed in a folder of their own with its own lockfile.
// Arguments go to vitest: `pnpm interop mastra`.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './published-packages.ts'

const peers = join(root, 'packages/interop/peers')
const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(peers, 'package.json'), 'utf8'),
)

try {
  execFileSync(
    'pnpm',
    ['install', '--dir', peers, '--ignore-workspace', '--ignore-scripts', '--frozen-lockfile'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
} catch {
  console.error('The frameworks could not be installed: that needs pnpm and a registry, once.')
}

const missing = Object.keys(dependencies).filter((name) => installedVersion(name) === undefined)
if (missing.length > 0) {
  console.error(`Missing: ${missing.join(', ')}. Run \`pnpm interop\` again where a registry can be reached.`)
  process.exitCode = 1
} else {
  for (const name of Object.keys(dependencies)) console.log(`${name} ${installedVersion(name)}`)
  const { status } = spawnSync('vitest', ['run', '--root', peers, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
}

function installedVersion(name: string): string | undefined {
  const manifest = join(peers, 'node_modules', name, 'package.json')
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined
}
