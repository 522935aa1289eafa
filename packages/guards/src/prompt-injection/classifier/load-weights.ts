import type { TextKind, Weights } from './classifier.ts'
import { BUCKETS } from './features.ts'
import { unpackWeights } from './weight-levels.ts'

/** A signed byte of `weights.bin` has two weights. */
const BYTES = BUCKETS / 2

/**
 * Loads the trained weights: `weights.bin` has half a byte for each bucket, first of the model of prompts, then of the
 * model of data. `weights.json` has the other parameters.
 */
export async function loadWeights(): Promise<Weights> {
  const { default: parameters } = await import('./weights.json', { with: { type: 'json' } })
  const { readBytes } = await import('./weights-bytes.ts')
  const bytes = await readBytes()
  const of = (kind: TextKind, from: number): Weights[TextKind] => ({
    buckets: unpackWeights(bytes.subarray(from, from + BYTES), parameters[kind].levels),
    ...parameters[kind],
  })
  return { prompt: of('prompt', 0), data: of('data', BYTES) }
}
