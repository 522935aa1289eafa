import { admits } from '../caret-range.ts'
import type { Manifest } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'

/** @throws Error with the files, if the working tree has uncommitted changes */
export async function refuseDirtyTree(root: string): Promise<void> {
  const changes = (await runCommand(root, 'git', 'status', '--porcelain')).trimEnd()
  if (changes === '') return
  throw new Error(
    `The working tree has changes:\n${changes}\nCommit or stash them: a release is made from a commit.`,
  )
}

/** @throws Error with every file that the manifest references and the tarball lacks */
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
    throw new Error(
      `${manifest.name}: ${missing.join(', ')} is not in the tarball. Run \`pnpm check build\`.`,
    )
  }
}

/** @throws Error with every range, if packages of one release do not admit each other */
export function refuseUnfitPeers(manifests: readonly Manifest[]): void {
  const versions = new Map(manifests.map(({ name, version }) => [name, version]))
  const problems = manifests.flatMap((manifest) =>
    rangesOf(manifest).flatMap(([name, range]) => {
      const version = versions.get(name)
      if (version !== undefined && fits(range, version)) return []
      const found = version === undefined ? 'it is not part of this release' : `it is released as ${version}`
      return [`${manifest.name} ${manifest.version} asks for ${name} ${range}, and ${found}.`]
    }),
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** The ranges that a package has for its siblings. */
function rangesOf({ dependencies = {}, peerDependencies = {} }: Manifest): [name: string, range: string][] {
  return [...Object.entries(dependencies), ...Object.entries(peerDependencies)].filter(([name]) =>
    name.startsWith('@millrace/'),
  )
}

/** pnpm replaces `workspace:*` by exact versions. */
function fits(range: string, version: string): boolean {
  return range.startsWith('^') ? admits(range, version) : range === version
}

/** All files that an `exports` or `bin` entry references. */
function filesOf(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry]
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(filesOf) : []
}
