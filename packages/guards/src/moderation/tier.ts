import type { Check, Judgement } from '../judge/verdict.ts'
import type { ModerationCategory } from './categories.ts'

export type CategoryScores = { readonly [CATEGORY in ModerationCategory]?: number }

/** What one tier says about a text. `categories` are those it flags by its own thresholds. */
export interface TierJudgement extends Judgement {
  /** From 0 to 1, for the categories the tier knows something of. */
  readonly scores: CategoryScores
}

/** One way to moderate. Several combine: a text goes through all that come before one that flags it. */
export interface ModerationTier {
  readonly name: string
  /** Whether it answers without a network, so that small windows cost nothing. */
  readonly isLocal: boolean
  /** Loads what `check` loads on first use. */
  warmUp?(): Promise<void>
  /** Texts to judgements, in order. Rejects only if the run is aborted. */
  check(texts: readonly string[], options: Parameters<Check>[1]): Promise<readonly TierJudgement[]>
}

/** A judgement by scores: flagged is what reaches `threshold`, or what the tier has named. */
export function byScores(
  scores: CategoryScores,
  { flagged, reason }: { flagged: readonly ModerationCategory[]; reason: string },
): TierJudgement {
  const score = Math.max(0, ...flagged.map((category) => scores[category] ?? 0))
  const cost = { calls: 0, inputTokens: 0, outputTokens: 0 }
  return { flagged: flagged.length > 0, categories: flagged, score, reason, scores, ...cost }
}
