import type { Surface } from '../guard/options.ts'
import type { Judgement } from './verdict.ts'

/** A judgement, and the surface of its text. */
export interface JudgementEvent extends Judgement {
  readonly processorId: string
  readonly surface: Surface
}
