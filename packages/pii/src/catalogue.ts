import type { PatternRecognizer } from '@millrace/guards/scanner'
import type { PIIRegion } from './types.ts'

/** Loads the recognizers of a country. */
export const COUNTRIES: Readonly<Record<PIIRegion, () => Promise<readonly PatternRecognizer[]>>> = {
  AU: async () => (await import('./national/au.ts')).au,
  BR: async () => (await import('./national/br.ts')).br,
  CA: async () => (await import('./national/ca.ts')).ca,
  DE: async () => (await import('./national/de.ts')).de,
  ES: async () => (await import('./national/es.ts')).es,
  FI: async () => (await import('./national/fi.ts')).fi,
  FR: async () => (await import('./national/fr.ts')).fr,
  GB: async () => (await import('./national/uk.ts')).uk,
  IN: async () => (await import('./national/in.ts')).india,
  IT: async () => (await import('./national/it.ts')).it,
  KR: async () => (await import('./national/kr.ts')).kr,
  NG: async () => (await import('./national/ng.ts')).ng,
  NL: async () => (await import('./national/nl.ts')).nl,
  PH: async () => (await import('./national/ph.ts')).ph,
  PL: async () => (await import('./national/pl.ts')).pl,
  SE: async () => (await import('./national/se.ts')).se,
  SG: async () => (await import('./national/sg.ts')).sg,
  TH: async () => (await import('./national/th.ts')).th,
  TR: async () => (await import('./national/tr.ts')).tr,
  US: async () => (await import('./national/us.ts')).us,
  ZA: async () => (await import('./national/za.ts')).za,
}
