import type { Chunk } from '@millrace/core'

/** Whether a chunk is a whole part, or a whole tool result. */
export function isWhole({ type }: Chunk): boolean {
  switch (type) {
    case 'tool-call':
    case 'tool-result':
    case 'tool-error':
    case 'tool-denied':
    case 'source':
    case 'custom':
    case 'file':
    case 'reasoning-file':
      return true
    default:
      return false
  }
}
