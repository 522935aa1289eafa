import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure, Suite } from '../figure.ts'

const root = join(import.meta.dirname, '../../../..')
/** The packed packages; the store depends on the dialect. */
const PACKAGES = ['core', 'memory', 'processors', 'sqlite-dialect', 'store-sqlite']

/** Large libraries, which applications often install anyway: database engine, tokenizer, phone numbers, schemas. */
const BESIDE = ['better-sqlite3', 'gpt-tokenizer', 'libphonenumber-js', 'zod']

/** The installation of a user: core, memory, processors and one store, from tarballs. Needs the registry. */
export const installSuite: Suite = {
  name: 'install',
  about: 'size and number of packages of an installation',
  async run({ quick }) {
    if (quick) return { measurements: [], figures: [] }
    const folder = mkdtempSync(join(tmpdir(), 'millrace-install-'))
    try {
      install(folder)
      const packages = packagesIn(join(folder, 'node_modules'))
      const beside = packages.filter(({ name }) => BESIDE.includes(name))
      const counted = packages.filter(({ name }) => !BESIDE.includes(name))
      const figures: Figure[] = [
        { name: 'packages installed', value: packages.length, unit: 'packages', budget: 40 },
        { name: `size beside ${BESIDE.join(', ')}`, value: megabytes(counted), unit: 'MB', budget: 15 },
        ...beside.map(({ name, bytes }) => ({ name, value: bytes / 1_000_000, unit: 'MB' })),
      ]
      return { measurements: [], figures }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

function install(folder: string): void {
  const tarballs = PACKAGES.map((name) => {
    const tarball = join(folder, `${name}.tgz`)
    execFileSync('pnpm', ['--dir', join(root, 'packages', name), 'pack', '--out', tarball], {
      stdio: 'ignore',
    })
    return tarball
  })
  const files = Object.fromEntries(
    PACKAGES.map((name, index) => [`@millrace/${name}`, `file:${tarballs[index]}`]),
  )
  const manifest = {
    private: true,
    dependencies: { ...files, 'better-sqlite3': '^13.0.0' },
    // Packages reference each other by version, so their tarballs are overrides.
    overrides: files,
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

interface Installed {
  name: string
  bytes: number
}

/** All packages in a folder `node_modules`. Nested packages are counted once. */
function packagesIn(folder: string): Installed[] {
  const folders = readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(folder, name)).map((scoped) => join(folder, name, scoped))
        : [join(folder, name)],
    )
  return folders.flatMap((path) => {
    const { name } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    const nested = join(path, 'node_modules')
    return [{ name, bytes: bytesOf(path) }, ...(existsSync(nested) ? packagesIn(nested) : [])]
  })
}

function bytesOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += entry.name === 'node_modules' ? 0 : bytesOf(path)
    else bytes += statSync(path).size
  }
  return bytes
}

function megabytes(packages: readonly Installed[]): number {
  return packages.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000
}
