type Search = typeof import('./search-memory.ts')

let loaded: Search | undefined

/** The search, loaded with the first question. Later ones do not go through the module loader. */
export async function loadSearch(): Promise<Search> {
  loaded ??= await import('./search-memory.ts')
  return loaded
}
