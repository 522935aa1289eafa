import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Imports an optional peer dependency, as this package resolves it, or else as the project in the working directory does:
 * that is needed if this package was fetched by `npx`. `undefined` if it is not installed.
 *
 * @throws The error of the module, if it fails to load
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
  // vitest's message for a missing module differs.
  return (
    code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  )
}
