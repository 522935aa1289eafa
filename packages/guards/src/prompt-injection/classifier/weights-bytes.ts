/** The API of Node, Bun and Deno to read a file, without an import that bundlers and workers cannot resolve. */
interface Runtime {
  readonly process: {
    getBuiltinModule(id: 'node:fs/promises'): { readFile(file: URL): Promise<Uint8Array> }
  }
}

/**
 * Reads `weights.bin`. Used when the sources run without a build: the build replaces this module by one that embeds the
 * bytes and needs no file system (`scripts/build/embedded-bytes.ts`).
 */
export async function readBytes(): Promise<Int8Array> {
  const { process } = globalThis as unknown as Runtime
  const { readFile } = process.getBuiltinModule('node:fs/promises')
  return new Int8Array(await readFile(new URL('./weights.bin', import.meta.url)))
}
