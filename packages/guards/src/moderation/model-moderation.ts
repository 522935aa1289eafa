import { type OptionNames, requireOptions } from '@millrace/core'
import { JUDGE_OPTIONS, type JudgeOptions, judge } from '../judge/judge.ts'
import { CATEGORY_INSTRUCTIONS, MODERATION_CATEGORIES } from './categories.ts'
import type { ModerationTier } from './tier.ts'

export interface ModelModerationOptions extends Omit<JudgeOptions, 'instructions' | 'categories'> {
  /** Added to the descriptions of the categories: what your application allows. */
  readonly instructions?: string
}

const { instructions: _, categories: __, ...JUDGED_BY } = JUDGE_OPTIONS

const MODEL_MODERATION_OPTIONS: OptionNames<ModelModerationOptions> = {
  ...JUDGED_BY,
  instructions: 'optional',
}

/** A tier that moderates with a model. */
export function modelModeration(given: ModelModerationOptions): ModerationTier {
  const { instructions = '', ...options } = requireOptions(
    'modelModeration()',
    given,
    MODEL_MODERATION_OPTIONS,
  )
  const check = judge({
    ...options,
    categories: MODERATION_CATEGORIES,
    instructions: `${CATEGORY_INSTRUCTIONS}\n${instructions}`,
  })
  return {
    name: 'model',
    isLocal: false,
    async check(texts, options) {
      const judgements = await check(texts, options)
      return judgements.map((judgement) => {
        const { flagged, categories, score } = judgement
        const scores = Object.fromEntries(flagged ? categories.map((category) => [category, score]) : [])
        return { ...judgement, scores }
      })
    },
  }
}
