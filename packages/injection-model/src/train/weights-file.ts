import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type KindWeights, packWeights, type TextKind, type Weights } from '@millrace/guards/internals'
import { hashOfManifest } from './manifest.ts'

/** The folder of the weights in `@millrace/guards`. */
export const WEIGHTS_FOLDER: string = fileURLToPath(
  new URL('../../../guards/src/prompt-injection/classifier', import.meta.url),
)

/** The description of `weights.bin` in `weights.json`. */
export interface WeightsDescription extends Readonly<Record<TextKind, Omit<KindWeights, 'buckets'>>> {
  /** Of the bytes, in hexadecimal. */
  readonly sha256: string
  /** SHA-256 of the manifest of the training rows. */
  readonly manifest: string
  /** The version of Node that created them. */
  readonly node: string
}

export function readDescription(folder: string): WeightsDescription {
  return JSON.parse(readFileSync(join(folder, 'weights.json'), 'utf8'))
}

export function writeWeights({ prompt, data }: Weights, folder: string): WeightsDescription {
  const [{ buckets: first, ...ofPrompts }, { buckets: second, ...ofData }] = [prompt, data]
  const bytes = new Uint8Array(
    Int8Array.from([...packWeights(first, prompt.levels), ...packWeights(second, data.levels)]).buffer,
  )
  const description: WeightsDescription = {
    sha256: sha256(bytes),
    manifest: hashOfManifest(),
    node: process.versions.node,
    prompt: ofPrompts,
    data: ofData,
  }
  writeFileSync(join(folder, 'weights.bin'), bytes)
  writeFileSync(join(folder, 'weights.json'), `${JSON.stringify(description, null, 2)}\n`)
  return description
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
