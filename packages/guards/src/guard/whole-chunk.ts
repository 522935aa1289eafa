import type { Chunk } from '@millrace/core'

const WHOLE: ReadonlySet<string> = new Set<Chunk['type']>([
  'tool-call',
  'tool-result',
  'tool-error',
  'tool-denied',
  'source',
  'custom',
  'file',
  'reasoning-file',
])

/** Whether a chunk is a whole part, or the whole of its result. */
export function isWhole({ type }: Chunk): boolean {
  return WHOLE.has(type)
}
