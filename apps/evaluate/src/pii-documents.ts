import { Scanner } from '@millrace/guards/scanner'
import { type Report, rowsOf, Tallies } from '@millrace/injection-model'
import { PII_TYPES, piiRecognizers } from '@millrace/pii'

/** A text with labeled positions, in UTF-16 units. */
export interface PIIDocument {
  text: string
  spans: { type: string; start: number; end: number; value: string }[]
}

/** Labels whose names differ from the types. Names, places, organizations, dates and ages are not supported. */
const CLAIMED: Readonly<Record<string, string>> = {
  CREDIT_CARD: 'credit_card',
  DOMAIN_NAME: 'url',
  EMAIL_ADDRESS: 'email',
  IBAN_CODE: 'iban',
  IP_ADDRESS: 'ip_address',
  PHONE_NUMBER: 'phone',
  US_SSN: 'us_ssn',
}

/**
 * Evaluates all types together, as a detector has them by default, plus URLs, which the file labels too. A label is found
 * if one finding of its type covers it; a finding is wrong if it overlaps no label of its type. Findings of types without
 * labels count as wrong in documents without labels.
 */
export async function evaluatePIIDocuments(rows: readonly PIIDocument[]): Promise<Report> {
  const scanner = new Scanner([...(await piiRecognizers()), ...(await piiRecognizers({ types: ['url'] }))])
  const claims = new Set(rows.flatMap(({ spans }) => spans.map(({ type }) => claimOf(type) ?? '')))
  const tallies = new Tallies()
  const mistakes: string[] = []
  let [values, leaked, clean, alarms] = [0, 0, 0, 0]
  for (const { text, spans } of rows) {
    const found = scanner.detect(text)
    if (spans.length === 0) {
      clean++
      if (found.length > 0) alarms++
    }
    const redacted = scanner.replace(text, () => '█')
    for (const { type, start, end, value } of spans) {
      const claim = claimOf(type)
      if (claim === undefined) continue
      values++
      if (redacted.includes(value)) leaked++
      if (found.some((match) => isOf(match.type, claim) && match.start <= start && match.end >= end)) {
        tallies.of(claim).found++
      } else {
        tallies.of(claim).missed++
        mistakes.push(`${claim} missed: ${text.slice(Math.max(0, start - 40), end)}`)
      }
    }
    for (const { type, start, end } of found) {
      const labels = spans.filter((span) => span.start < end && span.end > start)
      if (labels.some((span) => isOf(type, claimOf(span.type)))) continue
      if (!claims.has(type) && labels.length > 0) continue
      tallies.of(type).wrong++
      mistakes.push(`${type} wrong: ${text.slice(Math.max(0, start - 40), end)}`)
    }
  }
  const { recall = 0, precision = 0 } = tallies.sum()
  const structured = tallies.sum([...tallies.keys()].filter((type) => type !== 'phone'))
  return {
    guard: 'PIIDetector',
    file: 'pii_documents',
    rows: rowsOf(tallies, 'places'),
    summary: {
      recall,
      precision,
      'texts without': clean,
      'false alarms': alarms,
      'F1 without telephone numbers': structured.f1 ?? 0,
      'F1 of telephone numbers': tallies.of('phone').f1 ?? 0,
      'values labelled': values,
      'left after redaction': leaked,
    },
    mistakes,
  }
}

function claimOf(label: string): string | undefined {
  return CLAIMED[label] ?? PII_TYPES.find((type) => type === label)
}

/** Whether a finding is of a type, or of its variant for a country. */
function isOf(found: string, claim: string | undefined): boolean {
  return claim !== undefined && (found === claim || found.endsWith(`_${claim}`))
}
