import type { PatternRecognizer } from '../scanner/recognizer.ts'

/** Loads all recognizers of secrets. */
export async function secretRecognizers(): Promise<readonly PatternRecognizer[]> {
  return (await import('./catalogue.ts')).CATALOGUE
}
