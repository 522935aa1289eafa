import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, publishedPackages } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'
import { refuseMissingFiles, refuseUnfitPeers } from './refusals.ts'

export interface Tarball {
  readonly file: string
  /** The published manifest. */
  readonly manifest: Manifest
}

/**
 * Packs every published package of a checkout, in the order of dependencies.
 *
 * @throws Error if a package is not built, lacks a file, or does not admit another
 */
export async function packInOrder(root: string, folder: string): Promise<Tarball[]> {
  mkdirSync(folder, { recursive: true })
  const tarballs: Tarball[] = []
  for (const { folder: place } of publishedPackages) {
    const file = join(folder, `${place.replace('/', '-')}.tgz`)
    await runCommand(join(root, place), 'pnpm', 'pack', '--out', file)
    const manifest: Manifest = JSON.parse(
      await runCommand(root, 'tar', '-xzOf', file, 'package/package.json'),
    )
    const list = await runCommand(root, 'tar', '-tzf', file)
    refuseMissingFiles(
      manifest,
      list.split('\n').map((path) => path.replace(/^package\//, '')),
    )
    tarballs.push({ file, manifest })
  }
  refuseUnfitPeers(tarballs.map(({ manifest }) => manifest))
  return inOrder(tarballs)
}

/** Orders packages after their dependencies and peers, so that the registry never has a package without its siblings. */
export function inOrder<T extends { readonly manifest: Manifest }>(packages: readonly T[]): T[] {
  const ordered: T[] = []
  const entered = new Set<string>()
  const add = (item: T): void => {
    const { name, dependencies, peerDependencies } = item.manifest
    if (entered.has(name)) return
    entered.add(name)
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
      const sibling = packages.find(({ manifest }) => manifest.name === needed)
      if (sibling) add(sibling)
    }
    ordered.push(item)
  }
  for (const item of packages) add(item)
  return ordered
}
