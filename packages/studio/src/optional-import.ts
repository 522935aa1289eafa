import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A module of an optional peer: the one that this package sees, else that of the project in the working directory, as where
 * this package was fetched by `npx`. `undefined` where it is not installed.
 *
 * @throws what the module throws when it is loaded
 */
export async function optionalImport<MODULE>(specifier: string): Promise<MODULE | undefined> {
  try {
    return (await import(specifier)) as MODULE
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  try {
    const path = createRequire(join(process.cwd(), 'package.json')).resolve(specifier)
    return (await import(pathToFileURL(path).href)) as MODULE
  } catch (error) {
    if (!isMissing(error)) throw error
    return undefined
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  // vitest says it in words of its own.
  return (
    code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  )
}
