import type { Weights } from './classifier.ts'

/** Loads the trained weights: `weights.bin` has a signed byte for each bucket, `weights.json` the other parameters. */
export async function loadWeights(): Promise<Weights> {
  const { default: parameters } = await import('./weights.json', { with: { type: 'json' } })
  const { readBytes } = await import('./weights-bytes.ts')
  const { scale, bias, signs, alone, slope, offset } = parameters
  return { buckets: await readBytes(), scale, bias, signs, alone, slope, offset }
}
