import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const root: string = join(import.meta.dirname, '..')

export interface PublishedPackage {
  /** Relative to the root, such as `packages/core`. */
  readonly folder: string
  readonly manifest: Manifest
}

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  readonly author?: string
  readonly homepage?: string
  readonly bugs?: string
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly keywords?: readonly string[]
  readonly description?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly engines?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly bin?: string | Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: {
    readonly bin?: Readonly<Record<string, string>>
    readonly exports?: Readonly<Record<string, unknown>>
  }
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export const publishedPackages: readonly PublishedPackage[] = globSync('{apps,packages}/*/package.json', {
  cwd: root,
})
  .sort()
  .map((file) => ({
    folder: dirname(file),
    manifest: JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest,
  }))
  .filter(({ manifest }) => !manifest.private)

/** Packages that are installed in applications: core, and packages with core as a peer. The others are commands. */
export const installedPackages: readonly PublishedPackage[] = publishedPackages.filter(
  ({ manifest }) =>
    manifest.name === '@millrace/core' || manifest.peerDependencies?.['@millrace/core'] !== undefined,
)
