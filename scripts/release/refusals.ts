import { admits } from '../caret-range.ts'
import type { Manifest } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'

/** @throws Error that names the files, if the working tree has changes that no commit has */
export async function refuseDirtyTree(root: string): Promise<void> {
  const changes = (await runCommand(root, 'git', 'status', '--porcelain')).trimEnd()
  if (changes === '') return
  throw new Error(
    `The working tree has changes:\n${changes}\nCommit or stash them: what is released is what a commit has.`,
  )
}

/** @throws Error that names every file, if packed files lack what the manifest exports or runs */
export function refuseMissingFiles(manifest: Manifest, files: readonly string[]): void {
  const wanted = [
    ...filesOf(manifest.exports),
    ...filesOf(manifest.bin),
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
  ]
  const missing = wanted.map((file) => file.replace(/^\.\//, '')).filter((file) => !files.includes(file))
  if (missing.length > 0) {
    throw new Error(`${manifest.name}: ${missing.join(', ')} is not in the tarball. Run \`pnpm build\`.`)
  }
}

/** @throws Error that names every range, if packages that are released together refuse each other */
export function refuseUnfitPeers(manifests: readonly Manifest[]): void {
  const versions = new Map(manifests.map(({ name, version }) => [name, version]))
  const problems = manifests.flatMap((manifest) =>
    rangesOf(manifest).flatMap(([name, range]) => {
      const version = versions.get(name)
      if (version !== undefined && fits(range, version)) return []
      const found = version === undefined ? 'it is not released' : `it is released as ${version}`
      return [`${manifest.name} ${manifest.version} asks for ${name} ${range}, and ${found}.`]
    }),
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** What a package wants of its siblings. */
function rangesOf({ dependencies = {}, peerDependencies = {} }: Manifest): [name: string, range: string][] {
  return [...Object.entries(dependencies), ...Object.entries(peerDependencies)].filter(([name]) =>
    name.startsWith('@millrace/'),
  )
}

/** pnpm writes exact versions in place of `workspace:*`. */
function fits(range: string, version: string): boolean {
  return range.startsWith('^') ? admits(range, version) : range === version
}

/** All files that an `exports` or a `bin` leads to. */
function filesOf(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry]
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(filesOf) : []
}
