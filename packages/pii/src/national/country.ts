import type { PatternRecognizer } from '@millrace/guards/scanner'
import { evidence } from '../evidence.ts'

/** A recogniser of one country. */
export interface NationalRecognizer extends Omit<PatternRecognizer, 'regions'> {
  /** Whether none of its scores counts without a word before the candidate: then check digits are worked out only with one. */
  readonly needsWord?: boolean
}

/** Recognisers of one country, ISO 3166-1 alpha-2. What a hyphen follows is a part of something longer. */
export function country(region: string, recognizers: readonly NationalRecognizer[]): PatternRecognizer[] {
  return recognizers.map(({ needsWord = false, ...recognizer }) => {
    const { source, flags } = recognizer.pattern
    const { score } = recognizer
    return {
      ...recognizer,
      ...(needsWord &&
        typeof score === 'function' && {
          score: (candidate, before, counts, following) =>
            counts(evidence.format) ? score(candidate, before, counts, following) : 0,
        }),
      pattern: new RegExp(`(?:${source})(?!-)`, flags),
      regions: [region],
    }
  })
}
