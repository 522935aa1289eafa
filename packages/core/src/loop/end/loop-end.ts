import type { FinishReason } from '../../results/outcome.ts'

/** How the loop came to its end, when nothing cut it short. */
export interface LoopEnd {
  status: 'completed' | 'limit'
  finishReason: FinishReason
  /** The structured answer, validated, where one was asked for. */
  object: unknown
}
