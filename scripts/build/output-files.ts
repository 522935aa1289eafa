// Assigns the modules of a package to files of `dist`. Node needs about a millisecond to load a file of any size, so
// modules that are loaded together are in one file.

/** A module and its imports, from the bundler. */
interface GraphModule {
  readonly importedIds: readonly string[]
}

/** The name of the file with modules that several entry points import. */
export const SHARED = 'shared'

export interface OutputFilesOptions {
  /** By id. Modules of other packages are not included. */
  readonly modules: ReadonlyMap<string, GraphModule>
  /** The entry points of the package. */
  readonly entries: readonly string[]
  /**
   * Files by name, each with ids of modules, or folders that end in `/`. A module is in the first file whose modules import
   * it statically, directly or indirectly.
   */
  readonly files: Readonly<Record<string, readonly string[]>>
}

/**
 * Returns the file of each module. Modules that several entry points import are in the file `shared`, which is last unless
 * `files` has it. Entry points and other modules are left to the bundler.
 */
export function outputFiles({ modules, entries, files }: OutputFilesOptions): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, roots] of Object.entries({ ...files, [SHARED]: files[SHARED] ?? [] })) {
    const reached = rootsIn(roots, modules).flatMap((root) => [...importedBy(root, modules)])
    if (name === SHARED) reached.push(...importedBySeveral(entries, modules))
    for (const id of reached) if (!found.has(id) && !entries.includes(id)) found.set(id, name)
  }
  return found
}

function rootsIn(roots: readonly string[], modules: ReadonlyMap<string, GraphModule>): string[] {
  return roots.flatMap((root) => {
    const found = [...modules.keys()].filter(
      (id) => id === root || (root.endsWith('/') && id.startsWith(root)),
    )
    if (found.length === 0)
      throw new Error(`The module ${root} does not exist. Correct scripts/build/files.ts.`)
    return found
  })
}

function importedBySeveral(
  entries: readonly string[],
  modules: ReadonlyMap<string, GraphModule>,
): readonly string[] {
  const once = new Set<string>()
  const several = new Set<string>()
  for (const entry of entries) {
    for (const id of importedBy(entry, modules)) (once.has(id) ? several : once).add(id)
  }
  return [...several]
}

/** The module and all its static imports, direct and indirect. */
function importedBy(root: string, modules: ReadonlyMap<string, GraphModule>): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [root]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const module = modules.get(id)
    if (!module || found.has(id)) continue
    found.add(id)
    waiting.push(...module.importedIds)
  }
  return found
}
