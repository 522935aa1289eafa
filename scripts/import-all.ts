import type { Manifest } from './published-packages.ts'

/**
 * A program that imports every entry point of packages, and fails if one does not load or has no exports. Missing optional
 * peers are allowed.
 */
export function importAll(manifests: readonly Manifest[]): string {
  const entries = manifests.flatMap(({ name, exports, publishConfig, peerDependenciesMeta = {} }) => {
    const optional = Object.keys(peerDependenciesMeta).filter((peer) => peerDependenciesMeta[peer]?.optional)
    return (
      Object.keys(publishConfig?.exports ?? exports ?? {})
        .map((path) => ({ path: `${name}${path.slice(1)}`, optional }))
        // `store-process` is a program, which tests of stores start.
        .filter(({ path }) => !path.endsWith('.json') && path !== '@millrace/testing/store-process')
    )
  })
  return `for (const { path, optional } of ${JSON.stringify(entries)}) {
  try {
    if (Object.keys(await import(path)).length === 0) throw new Error(path + ' is empty.')
  } catch (error) {
    const isMissing = optional.some((name) => error.message.includes("'" + name + "'"))
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !isMissing) throw error
  }
}
`
}
