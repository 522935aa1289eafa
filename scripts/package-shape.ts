// Packs all packages as they are published, and lints the tarballs.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
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
    // `scripts` are for this repository; the other fields are read by users' tools.
    const { scripts: _, ...read } = JSON.parse(packed)
    for (const unwanted of ['@millrace/source', 'workspace:']) {
      if (JSON.stringify(read).includes(unwanted))
        throw new Error(`${manifest.name}: the published manifest says "${unwanted}".`)
    }
    checkSourceMaps(tarball, files.split('\n'))
    run('publint', 'run', tarball, '--strict')
    // A package with a command may have no entry point.
    if (Object.keys(read.exports).some((path) => path !== './package.json'))
      run('attw', tarball, '--profile', 'esm-only')
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true })
}

/** The sources in a package's source maps must be in its tarball, for debuggers and editors. */
function checkSourceMaps(packed: string, files: readonly string[]): void {
  const maps = files.filter((file) => /\.(?:js|d\.ts)\.map$/.test(file))
  const unmapped = files.filter(
    // Excluded: built pages, which are not imported, and code that the bundler adds.
    (file) =>
      /^package\/dist\/(?!page\/|rolldown-runtime).*\.(?:js|d\.ts)$/.test(file) &&
      !files.includes(`${file}.map`) &&
      !holdsNoCode(execFileSync('tar', ['-xzOf', packed, file], { encoding: 'utf8' })),
  )
  if (unmapped.length > 0) throw new Error(`${packed}: ${unmapped[0]} has no source map.`)
  for (const map of maps) {
    const { sources } = JSON.parse(execFileSync('tar', ['-xzOf', packed, map], { encoding: 'utf8' }))
    const missing = (sources as string[])
      .map((source) => posix.join(posix.dirname(map), source))
      // Excluded: bundled dependencies, and modules that the build generates.
      .filter((source) => source.startsWith('package/src/') && !files.includes(source))
    if (missing.length > 0)
      throw new Error(`${packed}: ${map} names ${missing[0]}, which is not in the tarball.`)
  }
}

/** Whether a file only re-exports. */
function holdsNoCode(code: string): boolean {
  return code.split('\n').every((line) => /^(?:(?:import|export)\b.*;)?$/.test(line))
}
