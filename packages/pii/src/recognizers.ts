import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { yieldToEventLoop } from '@millrace/guards/guard'
import type { PatternRecognizer } from '@millrace/guards/scanner'
import { COUNTRIES } from './catalogue.ts'
import { evidence, isPiece, isTime, isTimestamp, loweredByContext } from './evidence.ts'
import { NATIONAL_TYPES, PII_REGIONS, PII_TYPES, type PIIRegion, type PIIType } from './types.ts'

export interface PIISelection {
  /** The types to find. A type that is named here is found by its form alone. Default: all but `url`. */
  readonly types?: readonly PIIType[]
  /**
   * Countries whose identifiers and phone numbers are found, as ISO 3166-1 alpha-2 codes, see `PII_REGIONS`. Default:
   * all.
   */
  readonly regions?: readonly PIIRegion[]
}

export const PII_SELECTION: OptionNames<PIISelection> = { types: 'optional', regions: 'optional' }

/** @throws MillraceError `CONFIG_INVALID` for an unknown type or region. */
export function checkSelection({ types = [], regions = [] }: PIISelection): void {
  const type = types.find((each) => !PII_TYPES.includes(each))
  const region = regions.find((each) => !PII_REGIONS.includes(each))
  if (type !== undefined) {
    throw new MillraceError('CONFIG_INVALID', `types has '${type}'. Known are: ${PII_TYPES.join(', ')}.`)
  }
  if (region !== undefined) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `regions has '${region}'. Known are: ${PII_REGIONS.join(', ')}.`,
    )
  }
}

/** The recognizers of a selection. The call loads the data and libraries they need. */
export async function piiRecognizers(options: PIISelection = {}): Promise<PatternRecognizer[]> {
  const { types, regions = PII_REGIONS } = requireOptions('piiRecognizers()', options, PII_SELECTION)
  const wants = (type: string): boolean => types === undefined || (types as readonly string[]).includes(type)
  const countries = regions.filter((region) => NATIONAL_TYPES[region].some(wants))
  // One after the other, yielding to the event loop in between: compiling a module cannot be interrupted.
  await yieldToEventLoop()
  const { EVERYWHERE, ON_REQUEST } = await import('./everywhere.ts')
  const all: PatternRecognizer[] = [...EVERYWHERE, ...(types ? ON_REQUEST : [])]
  await yieldToEventLoop()
  if (wants('phone')) {
    const { phone } = await import('./phone.ts')
    await yieldToEventLoop()
    all.push(...(await phone(regions, { byForm: types !== undefined })))
  }
  await yieldToEventLoop()
  if (wants('crypto_wallet')) all.push(...(await (await import('./crypto-wallet.ts')).cryptoWallet()))
  for (const region of countries) {
    await yieldToEventLoop()
    all.push(...(await COUNTRIES[region]()))
  }
  return all.filter(({ type }) => wants(type)).map((recognizer) => inContext(recognizer, types !== undefined))
}

/** Lowers scores by the words before a candidate. Types that are named need no context word. */
function inContext(recognizer: PatternRecognizer, named: boolean): PatternRecognizer {
  const { score = 1 } = recognizer
  return {
    ...recognizer,
    anyDigit: true,
    score: (candidate, before, counts, following) => {
      if ((recognizer.regions && isPiece(candidate, before)) || isTimestamp(candidate)) return 0
      const full =
        typeof score === 'number' ? score : score(candidate, before, named ? always : counts, following)
      if (full <= 0) return full
      const plain = isTime(candidate) ? Math.min(full, evidence.format) : full
      const lifted = named && plain >= evidence.format ? Math.max(plain, 0.6) : plain
      return recognizer.regions || recognizer.context ? loweredByContext(lifted, before) : lifted
    },
  }
}

function always(): boolean {
  return true
}
