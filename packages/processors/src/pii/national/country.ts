import type { PatternRecognizer } from '../../scanner/recognizer.ts'

/** Recognisers of one country, ISO 3166-1 alpha-2. */
export function country(
  region: string,
  recognizers: readonly Omit<PatternRecognizer, 'regions'>[],
): PatternRecognizer[] {
  return recognizers.map((recognizer) => ({ ...recognizer, regions: [region] }))
}
