import type { Surface } from '../guard/options.ts'
import type { Judgement } from './verdict.ts'

/** A judgement, and where in the run it was made. */
export interface JudgementEvent extends Judgement {
  readonly processorId: string
  readonly surface: Surface
}
