import type { TextKind, Weights } from './classifier.ts'
import { BUCKETS } from './features.ts'

/**
 * Loads the trained weights: `weights.bin` has a signed byte for each bucket, first of the model of prompts, then of the
 * model of data. `weights.json` has the other parameters.
 */
export async function loadWeights(): Promise<Weights> {
  const { default: parameters } = await import('./weights.json', { with: { type: 'json' } })
  const { readBytes } = await import('./weights-bytes.ts')
  const bytes = await readBytes()
  const of = (kind: TextKind, from: number): Weights[TextKind] => ({
    buckets: bytes.subarray(from, from + BUCKETS),
    ...parameters[kind],
  })
  return { prompt: of('prompt', 0), data: of('data', BUCKETS) }
}
