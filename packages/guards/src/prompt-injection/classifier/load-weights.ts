import type { TextKind, Weights } from './classifier.ts'
import { BUCKETS } from './features.ts'

/**
 * Loads what training found: `weights.bin`, a signed byte for each bucket of the models of prompts and of data, one after the other,
 * and what `weights.json` says of them.
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
