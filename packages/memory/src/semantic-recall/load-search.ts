type Search = typeof import('./search-memory.ts')

let loaded: Search | undefined

/** Loads the search on first use. Later calls do not go through the module loader. */
export async function loadSearch(): Promise<Search> {
  loaded ??= await import('./search-memory.ts')
  return loaded
}
