import { yieldToEventLoop } from '../../event-loop.ts'
import type { Weights } from './classifier.ts'

/** How much is decoded at a stretch: whole groups of four characters. */
const STEP = 65_536

/** Loads what training found: `weights.bin`, a signed byte for each bucket, and what `weights.json` says of them. */
export async function loadWeights(): Promise<Weights> {
  const { default: parameters } = await import('./weights.json', { with: { type: 'json' } })
  const { readBytes } = await import('./weights-bytes.ts')
  const base64 = await readBytes()
  const buckets = new Int8Array(Math.floor((base64.replace(/=+$/, '').length * 3) / 4))
  let end = 0
  for (let start = 0; start < base64.length; start += STEP) {
    await yieldToEventLoop()
    const binary = atob(base64.slice(start, start + STEP))
    for (let place = 0; place < binary.length; place++) buckets[end++] = binary.charCodeAt(place)
  }
  const { scale, bias, signs, slope, offset } = parameters
  return { buckets, scale, bias, signs, slope, offset }
}
