// Of a file of bytes a module, as builds need it: a published package reads no files, so that it runs in workers and bundles.
import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'
import { encodeBytes } from '../packages/guards/src/prompt-injection/classifier/byte-text.ts'

/** Replaces every module `name-bytes.ts` by one that holds the signed bytes of `name.bin` beside it, as text. */
export const embeddedBytes: Plugin = {
  name: 'embedded-bytes',
  setup({ onLoad }) {
    onLoad({ filter: /-bytes\.ts$/ }, ({ path }) => {
      const file = path.replace(/-bytes\.ts$/, '.bin')
      const text = JSON.stringify(encodeBytes(new Int8Array(readFileSync(file))))
      return {
        contents: `import { decodeBytes } from './byte-text.ts'\nexport const readBytes = () => decodeBytes(${text})`,
        loader: 'js',
        watchFiles: [file],
      }
    })
  },
}
