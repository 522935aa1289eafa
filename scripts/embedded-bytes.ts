// Of a file of bytes a module, as builds need it: a published package reads no files, so that it runs in workers and bundles.
import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

/** Replaces every module `name-bytes.ts` by one that holds the bytes of `name.bin` beside it, in base64. */
export const embeddedBytes: Plugin = {
  name: 'embedded-bytes',
  setup({ onLoad }) {
    onLoad({ filter: /-bytes\.ts$/ }, ({ path }) => {
      const file = path.replace(/-bytes\.ts$/, '.bin')
      const base64 = readFileSync(file, 'base64')
      return {
        contents: `export const readBytes = () => Promise.resolve('${base64}')`,
        loader: 'js',
        watchFiles: [file],
      }
    })
  },
}
