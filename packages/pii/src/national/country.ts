import type { PatternRecognizer } from '@millrace/guards/scanner'
import { evidence } from '../evidence.ts'

/** A recognizer of one country. */
export interface NationalRecognizer extends Omit<PatternRecognizer, 'regions'> {
  /** Whether no score reaches the threshold without a context word: then check digits are only computed after one. */
  readonly needsWord?: boolean
}

/**
 * Recognizers of one country, ISO 3166-1 alpha-2. A candidate followed by a hyphen is part of something longer, and is
 * rejected.
 */
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
