// Which modules of a package are one file of `dist`. Node takes about a millisecond for a file of any size, so what is loaded
// together is built together.

/** A module and what it imports, as the bundler sees it. */
interface GraphModule {
  readonly importedIds: readonly string[]
}

/** Of what several entry points import. */
export const SHARED = 'shared'

export interface OutputFilesOptions {
  /** By id. What is not in it belongs to other packages. */
  readonly modules: ReadonlyMap<string, GraphModule>
  /** The entry points that a program imports one or some of. */
  readonly entries: readonly string[]
  /**
   * Files by name, each with modules by id, or by a folder that ends in `/`. A module is in the first of these files whose
   * modules import it, directly or not, other than by `import()`.
   */
  readonly files: Readonly<Record<string, readonly string[]>>
}

/**
 * The name of the file for each module that is in one of `files`. What several entry points import is in the file `shared`,
 * which is the last unless `files` names it. The others are left to the bundler, and so are the entry points.
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
    if (found.length === 0) throw new Error(`There is no module ${root}, which scripts/build/files.ts names.`)
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

/** The module itself, and all it imports, directly or not. */
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
