import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishedPackages, root } from './published-packages.ts'
import { runCommand } from './run-command.ts'

export interface InstalledSize {
  /** The size of all files in `node_modules`. */
  readonly bytes: number
  readonly packages: ReadonlyMap<string, number>
}

export interface Installer {
  /**
   * Installs packages into an empty project: those of this repository from tarballs, others by name or `name@version`.
   *
   * @param use Called with the folder of the project, which is then removed
   */
  install(names: readonly string[], use?: (project: string) => Promise<void>): Promise<InstalledSize>
  remove(): void
}

/** Packs all packages, which must be built. Their dependencies come from the registry that npm is configured for. */
export async function packAll(): Promise<Installer> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-installed-'))
  const tarballs = new Map<string, string>()
  for (const { folder: place, manifest } of publishedPackages) {
    const tarball = join(folder, `${place.replace('/', '-')}.tgz`)
    await runCommand(join(root, place), 'pnpm', 'pack', '--out', tarball)
    tarballs.set(manifest.name, `file:${tarball}`)
  }
  return {
    async install(names, use) {
      const project = mkdtempSync(join(folder, 'project-'))
      const dependencies = Object.fromEntries(
        withSiblings(names).map((name) => {
          const [, other = name, version = '*'] = /^(.+)@([^@]+)$/.exec(name) ?? []
          return [other, tarballs.get(name) ?? version]
        }),
      )
      writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, dependencies }))
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
      await runCommand(project, 'npm', 'install', ...quiet)
      const size = sizeOf(project)
      await use?.(project)
      rmSync(project, { recursive: true })
      return size
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Dependencies within the repository are installed from tarballs, too. */
function withSiblings(names: readonly string[]): string[] {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const { dependencies } = publishedPackages.find(({ manifest }) => manifest.name === name)?.manifest ?? {}
    for (const sibling of Object.keys(dependencies ?? {})) if (sibling.startsWith('@millrace/')) add(sibling)
  }
  for (const name of names) add(name)
  return [...found]
}

function sizeOf(project: string): InstalledSize {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'))
  const paths = Object.keys(lock.packages)
    .filter((path) => path !== '')
    .sort((left, right) => right.length - left.length)
  const packages = new Map<string, number>()
  let bytes = 0
  for (const entry of readdirSync(join(project, 'node_modules'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name).slice(project.length + 1)
    const { size } = statSync(join(project, file))
    bytes += size
    // The longest match: a package may be in another package's node_modules.
    const path = paths.find((path) => file.startsWith(`${path}/`))
    if (path !== undefined) packages.set(path, (packages.get(path) ?? 0) + size)
  }
  return { bytes, packages }
}
