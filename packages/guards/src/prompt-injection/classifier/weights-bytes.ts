/** What Node, Bun and Deno have in common to read a file, without an import that bundlers and workers could not resolve. */
interface Runtime {
  readonly process: {
    getBuiltinModule(id: 'node:fs/promises'): { readFile(file: URL): Promise<Uint8Array> }
  }
}

/**
 * Reads `weights.bin`. This module is for the sources as they are: the build replaces it by one that holds the bytes itself
 * and needs no file system (`scripts/build/embedded-bytes.ts`).
 */
export async function readBytes(): Promise<Int8Array> {
  const { process } = globalThis as unknown as Runtime
  const { readFile } = process.getBuiltinModule('node:fs/promises')
  return new Int8Array(await readFile(new URL('./weights.bin', import.meta.url)))
}
