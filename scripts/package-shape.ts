// Packs every package as it would be published and lints the tarball.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishedPackages, root } from './published-packages.ts'

const directory = mkdtempSync(join(tmpdir(), 'millrace-shape-'))
const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' })

try {
  for (const { folder, manifest } of publishedPackages) {
    const tarball = join(directory, `${folder.replace('/', '-')}.tgz`)
    execFileSync('pnpm', ['--dir', join(root, folder), 'pack', '--out', tarball], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    const packed = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
    for (const wanted of ['LICENSE', 'README.md', 'CHANGELOG.md']) {
      if (!files.includes(`package/${wanted}\n`))
        throw new Error(`${manifest.name}: ${wanted} is not in the tarball.`)
    }
    // Scripts are for this repository; what users' tools read is the rest.
    const { scripts: _, ...read } = JSON.parse(packed)
    for (const unwanted of ['@millrace/source', 'workspace:']) {
      if (JSON.stringify(read).includes(unwanted))
        throw new Error(`${manifest.name}: the published manifest says "${unwanted}".`)
    }
    run('publint', 'run', tarball, '--strict')
    // A command has no entry point.
    if (Object.keys(read.exports).some((path) => path !== './package.json'))
      run('attw', tarball, '--profile', 'esm-only')
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true })
}
