import type { FinishReason } from '../../results/outcome.ts'

/** How the loop ended, if it was not cut short. */
export interface LoopEnd {
  status: 'completed' | 'limit'
  finishReason: FinishReason
  /** The validated structured answer. `undefined` without an output schema. */
  object: unknown
}
