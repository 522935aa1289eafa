import type { Check, Judgement } from '../judge/verdict.ts'
import { MODERATION_CATEGORIES, type ModerationCategory } from './categories.ts'
import type { ModerationTier, TierJudgement } from './tier.ts'

export interface CombinedOptions {
  readonly tiers: readonly ModerationTier[]
  /** The categories that may be flagged; all others are ignored. */
  readonly categories: readonly ModerationCategory[]
  /** The minimum score at which a category is flagged. Undefined: the tier decides. */
  readonly thresholdOf: (category: ModerationCategory) => number | undefined
}

/** Runs the tiers one after the other on the texts that no tier has flagged yet. */
export function combinedTiers({ tiers, categories, thresholdOf }: CombinedOptions): Check {
  function decide(judgement: TierJudgement): Judgement {
    const { scores, ...rest } = judgement
    const isOfCategories = rest.categories.some((name) =>
      MODERATION_CATEGORIES.includes(name as ModerationCategory),
    )
    // There are no scores to compare: the tier failed, or flagged the text without a category.
    if (rest.flagged && !isOfCategories) return rest
    const flagged = categories.filter((category) => {
      const threshold = thresholdOf(category)
      if (threshold === undefined) return rest.flagged && rest.categories.includes(category)
      return (scores[category] ?? 0) >= threshold
    })
    const score = Math.max(0, ...flagged.map((category) => scores[category] ?? rest.score))
    return { ...rest, flagged: flagged.length > 0, categories: flagged, score }
  }

  return async (texts, options) => {
    const results = new Map<number, Judgement>()
    for (const tier of tiers) {
      const left = texts.flatMap((text, index) => (results.get(index)?.flagged ? [] : [{ text, index }]))
      if (left.length === 0) break
      const judgements = await tier.check(
        left.map(({ text }) => text),
        options,
      )
      for (const [position, { index }] of left.entries()) {
        const judgement = decide(judgements[position] as TierJudgement)
        results.set(index, added(results.get(index), judgement))
      }
    }
    return texts.map((_, index) => results.get(index) as Judgement)
  }
}

function added(before: Judgement | undefined, judgement: Judgement): Judgement {
  if (!before) return judgement
  const { failure: later, ...rest } = judgement
  // If a tier failed and its texts passed, that failure does not apply to the verdict of a later tier.
  const failure = later ?? (judgement.flagged ? undefined : before.failure)
  return {
    ...rest,
    calls: before.calls + judgement.calls,
    inputTokens: before.inputTokens + judgement.inputTokens,
    outputTokens: before.outputTokens + judgement.outputTokens,
    ...(failure !== undefined && { failure }),
  }
}
