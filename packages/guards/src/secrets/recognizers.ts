import type { PatternRecognizer } from '../scanner/recognizer.ts'

/** Every recogniser of secrets. They load with this call. */
export async function secretRecognizers(): Promise<readonly PatternRecognizer[]> {
  return (await import('./catalogue.ts')).CATALOGUE
}
