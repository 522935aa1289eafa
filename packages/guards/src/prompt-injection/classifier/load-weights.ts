import { yieldToEventLoop } from '../../event-loop.ts'
import type { Weights } from './classifier.ts'

/** How much is decoded at a stretch: whole groups of four characters. */
const STEP = 65_536

/** Loads what training found: a few hundred kilobytes. */
export async function loadWeights(): Promise<Weights> {
  const { WEIGHTS } = await import('./weights.ts')
  const { buckets, ...rest } = WEIGHTS
  const bytes = new Int8Array(Math.floor((buckets.replace(/=+$/, '').length * 3) / 4))
  let end = 0
  for (let start = 0; start < buckets.length; start += STEP) {
    await yieldToEventLoop()
    const binary = atob(buckets.slice(start, start + STEP))
    for (let place = 0; place < binary.length; place++) bytes[end++] = binary.charCodeAt(place)
  }
  return { ...rest, buckets: bytes }
}
