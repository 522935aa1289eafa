import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { WINDOW_OPTIONS, WindowGuard, type WindowOptions } from '../judge/window-guard.ts'
import { MODERATION_CATEGORIES, type ModerationCategory } from './categories.ts'
import { combinedTiers } from './combined-tiers.ts'
import { profanitySieve } from './profanity-sieve.ts'
import type { CategoryScores, ModerationTier } from './tier.ts'

export interface ModerationProcessorOptions extends WindowOptions {
  /** Run one after the other, until one flags the text. Default: `[profanitySieve()]`. */
  readonly tiers?: readonly ModerationTier[]
  /** The categories to flag, see `MODERATION_CATEGORIES`. Default: all. */
  readonly categories?: readonly ModerationCategory[]
  /**
   * The minimum score at which a category is flagged, above 0 up to 1: one number for all, or numbers by category.
   * Default: the threshold of each tier.
   */
  readonly thresholds?: number | CategoryScores
  /** The maximum length of text judged at once, in UTF-16 units. Default: 400 with local tiers only, else 2,000. */
  readonly window?: number
  /**
   * How much of the previous window is judged again, in UTF-16 units, at most half of `window`. Default: 100 with local
   * tiers only, else 200.
   */
  readonly overlap?: number
}

const MODERATION_PROCESSOR_OPTIONS: OptionNames<ModerationProcessorOptions> = {
  ...WINDOW_OPTIONS,
  tiers: 'optional',
  categories: 'optional',
  thresholds: 'open',
  window: 'optional',
  overlap: 'optional',
}

/** The window if no tier needs a network. */
const LOCAL_WINDOW = 400

/** Flags the categories of OpenAI's moderation endpoint, with the given tiers. Blocks by default. */
export class ModerationProcessor extends WindowGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: ModerationProcessorOptions = {}) {
    const {
      tiers = [profanitySieve()],
      categories = MODERATION_CATEGORIES,
      thresholds = {},
      ...options
    } = requireOptions('ModerationProcessor', given, MODERATION_PROCESSOR_OPTIONS)
    if (tiers.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'ModerationProcessor has no tiers. Pass at least one.')
    }
    const named = typeof thresholds === 'number' ? [] : Object.keys(thresholds)
    for (const category of [...categories, ...named]) {
      if (MODERATION_CATEGORIES.includes(category as ModerationCategory)) continue
      throw new MillraceError(
        'CONFIG_INVALID',
        `There is no category '${category}'. Use some of: ${MODERATION_CATEGORIES.join(', ')}.`,
      )
    }
    for (const threshold of typeof thresholds === 'number' ? [thresholds] : Object.values(thresholds)) {
      if (threshold > 0 && threshold <= 1) continue
      throw new MillraceError('CONFIG_INVALID', `A threshold is ${threshold}. Use a number above 0, up to 1.`)
    }
    const thresholdOf = (category: ModerationCategory): number | undefined =>
      typeof thresholds === 'number' ? thresholds : thresholds[category]
    super({
      id: 'moderation',
      label: 'Something to be moderated was',
      ...(tiers.every(({ isLocal }) => isLocal) && { window: LOCAL_WINDOW, overlap: LOCAL_WINDOW / 4 }),
      ...options,
      check: combinedTiers({ tiers, categories, thresholdOf }),
      loadCheck: async () => {
        for (const tier of tiers) await tier.warmUp?.()
      },
    })
  }
}
