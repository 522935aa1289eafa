import type { Weights } from './classifier.ts'

/** Loads what training found: `weights.bin`, a signed byte for each bucket, and what `weights.json` says of them. */
export async function loadWeights(): Promise<Weights> {
  const { default: parameters } = await import('./weights.json', { with: { type: 'json' } })
  const { readBytes } = await import('./weights-bytes.ts')
  const { scale, bias, signs, alone, slope, offset } = parameters
  return { buckets: await readBytes(), scale, bias, signs, alone, slope, offset }
}
