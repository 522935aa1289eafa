// Of a file of bytes a module, as builds need it: a published package reads no files, so that it runs in workers and bundles.
import { readFileSync } from 'node:fs'
import { encodeBytes } from '../../packages/guards/src/prompt-injection/classifier/byte-text.ts'

/** The modules that {@link embeddedBytes} replaces. */
export const BYTES_MODULE: RegExp = /-bytes\.ts$/

/** The code of a module `name-bytes.ts` that holds the signed bytes of `name.bin` beside it, as text. */
export function embeddedBytes(path: string): string {
  const bytes = new Int8Array(readFileSync(path.replace(BYTES_MODULE, '.bin')))
  const text = JSON.stringify(encodeBytes(bytes))
  return `import { decodeBytes } from './byte-text.ts'\nexport const readBytes = () => decodeBytes(${text})`
}
