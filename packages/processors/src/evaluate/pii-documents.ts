import { piiRecognizers } from '../pii/recognizers.ts'
import { Scanner } from '../scanner/scanner.ts'
import { Tallies } from './tally.ts'

/** A text with labelled places, in UTF-16 units. */
export interface PIIDocument {
  text: string
  spans: { type: string; start: number; end: number; value: string }[]
}

export interface PIIDocumentsResult {
  tallies: Tallies
  /** Labelled values of claimed types, and how many of them stand somewhere in the redacted text. */
  values: number
  leaked: number
  /** Findings of types that the file does not label, where nothing at all is labelled. */
  unlabelled: Map<string, number>
  mistakes: string[]
}

/** Labels of the file, and what claims them. Names, places, organisations, dates and ages are not claimed. */
const CLAIMED: Readonly<Record<string, string>> = {
  CREDIT_CARD: 'credit_card',
  DOMAIN_NAME: 'url',
  EMAIL_ADDRESS: 'email',
  IBAN_CODE: 'iban',
  IP_ADDRESS: 'ip_address',
  PHONE_NUMBER: 'phone',
  US_SSN: 'us_ssn',
}

/** Everything at once, as a user has it by default, and addresses of the web, which the file labels too. */
export async function evaluatePIIDocuments(rows: readonly PIIDocument[]): Promise<PIIDocumentsResult> {
  const scanner = new Scanner([...(await piiRecognizers()), ...(await piiRecognizers({ types: ['url'] }))])
  const types = new Set(Object.values(CLAIMED))
  const result: PIIDocumentsResult = {
    tallies: new Tallies(),
    values: 0,
    leaked: 0,
    unlabelled: new Map(),
    mistakes: [],
  }
  for (const { text, spans } of rows) {
    const found = scanner.detect(text)
    const redacted = scanner.replace(text, () => '█')
    for (const { type, start, end, value } of spans) {
      const claim = CLAIMED[type]
      if (claim === undefined) continue
      const hit = found.some((match) => match.type === claim && match.start <= start && match.end >= end)
      if (hit) result.tallies.of(claim).found++
      else {
        result.tallies.of(claim).missed++
        result.mistakes.push(`${claim} missed: ${text.slice(Math.max(0, start - 40), end + 10)}`)
      }
      result.values++
      if (redacted.includes(value)) result.leaked++
    }
    for (const { type, start, end } of found) {
      const overlapping = spans.filter((span) => span.start < end && span.end > start)
      if (overlapping.some((span) => CLAIMED[span.type] === type)) continue
      if (types.has(type)) result.tallies.of(type).wrong++
      else if (overlapping.length === 0) result.unlabelled.set(type, (result.unlabelled.get(type) ?? 0) + 1)
      else continue
      result.mistakes.push(
        `${type} wrong: ${text.slice(Math.max(0, start - 40), start)}[${text.slice(start, end)}]`,
      )
    }
  }
  return result
}
