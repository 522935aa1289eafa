import type { PatternRecognizer } from '@millrace/guards/scanner'

/** Recognisers of one country, ISO 3166-1 alpha-2. What a hyphen follows is a part of something longer. */
export function country(
  region: string,
  recognizers: readonly Omit<PatternRecognizer, 'regions'>[],
): PatternRecognizer[] {
  return recognizers.map((recognizer) => {
    const { source, flags } = recognizer.pattern
    return { ...recognizer, pattern: new RegExp(`(?:${source})(?!-)`, flags), regions: [region] }
  })
}
