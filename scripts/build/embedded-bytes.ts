// Embeds binary files as modules: published packages read no files, so that they run in workers and bundles.
import { readFileSync } from 'node:fs'
import { encodeBytes } from '../../packages/guards/src/prompt-injection/classifier/byte-text.ts'

/** The module that {@link embeddedBytes} replaces. */
export const BYTES_MODULE: RegExp = /\bweights-bytes\.ts$/

/** The code of the module `weights-bytes.ts`, with the bytes of `weights.bin` as text. */
export function embeddedBytes(path: string): string {
  const bytes = new Int8Array(readFileSync(path.replace(BYTES_MODULE, 'weights.bin')))
  const text = JSON.stringify(encodeBytes(bytes))
  return `import { decodeBytes } from './byte-text.ts'\nexport const readBytes = () => decodeBytes(${text})`
}
