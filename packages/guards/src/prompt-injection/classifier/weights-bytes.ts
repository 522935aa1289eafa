/** What Node, Bun and Deno have in common to read a file, without an import that bundlers and workers could not resolve. */
interface Runtime {
  readonly process: {
    getBuiltinModule(id: 'node:fs/promises'): { readFile(file: URL, encoding: 'base64'): Promise<string> }
  }
}

/**
 * Reads `weights.bin`, in base64. This module is for the sources as they are: the build replaces it by one that holds the
 * bytes itself and needs no file system (`scripts/embedded-bytes.ts`).
 */
export function readBytes(): Promise<string> {
  const { process } = globalThis as unknown as Runtime
  return process
    .getBuiltinModule('node:fs/promises')
    .readFile(new URL('./weights.bin', import.meta.url), 'base64')
}
