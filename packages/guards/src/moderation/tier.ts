import type { Check, Judgement } from '../judge/verdict.ts'
import type { ModerationCategory } from './categories.ts'

export type CategoryScores = { readonly [CATEGORY in ModerationCategory]?: number }

/** A tier's judgement of a text. `categories` are those that exceed the tier's own thresholds. */
export interface TierJudgement extends Judgement {
  /** From 0 to 1, by category. Categories that the tier does not score are left out. */
  readonly scores: CategoryScores
}

/** One way to moderate. Tiers are combined: a text passes all tiers up to the first one that flags it. */
export interface ModerationTier {
  readonly name: string
  /** Whether it needs no network: then small windows are cheap. */
  readonly isLocal: boolean
  /** Loads what `check` loads on first use. */
  warmUp?(): Promise<void>
  /** Judges texts. The judgements are in the order of the texts. Rejects only if the run is aborted. */
  check(texts: readonly string[], options: Parameters<Check>[1]): Promise<readonly TierJudgement[]>
}

/** Creates a judgement from scores and the categories that the tier flagged. */
export function byScores(
  scores: CategoryScores,
  { flagged, reason }: { flagged: readonly ModerationCategory[]; reason: string },
): TierJudgement {
  const score = Math.max(0, ...flagged.map((category) => scores[category] ?? 0))
  const cost = { calls: 0, inputTokens: 0, outputTokens: 0 }
  return { flagged: flagged.length > 0, categories: flagged, score, reason, scores, ...cost }
}
