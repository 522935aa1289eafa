import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { COUNTRIES, EVERYWHERE, ON_REQUEST } from './catalogue.ts'
import { cryptoWallet } from './crypto-wallet.ts'
import { evidence, loweredByContext } from './evidence.ts'
import { phone } from './phone.ts'

export interface PIISelection {
  /**
   * What to look for, by type, such as `email` or `us_ssn`. A type that is named here is found by its form alone, where
   * it otherwise needs a context word before it. Default: all types of `regions`, and those that have no region.
   */
  types?: readonly string[]
  /** Countries whose identifiers and telephone numbers are looked for, ISO 3166-1 alpha-2. Default: all we know. */
  regions?: readonly string[]
}

/** The recognisers of a selection. Data and libraries load with this call. */
export async function piiRecognizers({ types, regions }: PIISelection = {}): Promise<PatternRecognizer[]> {
  const countries = regions ?? Object.keys(COUNTRIES)
  const wanted = (type: string): boolean => types === undefined || types.includes(type)
  const all = await Promise.all([
    EVERYWHERE,
    types === undefined ? [] : ON_REQUEST,
    wanted('phone') ? phone(countries) : [],
    wanted('crypto_wallet') ? cryptoWallet() : [],
    ...countries.map((region) => COUNTRIES[region]?.() ?? []),
  ])
  return all
    .flat()
    .filter(({ type }) => wanted(type))
    .map((recognizer) => inContext(recognizer, types !== undefined))
}

/** Lets words before a candidate lower its score; a type that is named needs no word that raises it. */
function inContext(recognizer: PatternRecognizer, named: boolean): PatternRecognizer {
  const { score = 1 } = recognizer
  return {
    ...recognizer,
    score: (candidate, before) => {
      const plain = typeof score === 'number' ? score : score(candidate, before)
      const lifted = named && plain >= evidence.format ? Math.max(plain, 0.6) : plain
      return recognizer.regions || recognizer.context ? loweredByContext(lifted, before) : lifted
    },
  }
}
