import type { Weights } from './classifier.ts'

/** Loads what training found: a few hundred kilobytes. */
export async function loadWeights(): Promise<Weights> {
  const { WEIGHTS } = await import('./weights.ts')
  const { buckets, ...rest } = WEIGHTS
  const bytes = Uint8Array.from(atob(buckets), (unit) => unit.charCodeAt(0))
  return { ...rest, buckets: new Int8Array(bytes.buffer) }
}
