import type { Detection } from '@millrace/guards/scanner'
import { Scanner } from '@millrace/guards/scanner'
import { type Report, rowsOf, Tallies } from '@millrace/injection-model'
import { PII_REGIONS, PII_TYPES, type PIIRegion, type PIIType, piiRecognizers } from '@millrace/pii'

/** An example of a recognizer's test: `spans` are positions in UTF-16 units, if the test has them. */
export interface PIICase {
  file: string
  /** `null` if the test is about telephone numbers. */
  entity: string | null
  text: string
  expected_len: number
  spans: [start: number, end: number][] | null
}

/**
 * Evaluates every type alone, enabled by name and country: labeled values must be found completely, and nothing in texts
 * without one. `byDefault` counts the examples in which a detector with all types finds something: most are bare numbers
 * without the context word that a weak pattern needs.
 */
export async function evaluatePIICases(rows: readonly PIICase[]): Promise<Report> {
  const [named, byDefault] = [new Tallies(), new Tallies()]
  const mistakes: string[] = []
  const unclaimed: string[] = []
  let [values, leaked] = [0, 0]
  const everything = new Scanner(await piiRecognizers())
  for (const [entity, cases] of byEntity(rows)) {
    const claim = claimOf(entity)
    if (claim === undefined) {
      unclaimed.push(entity)
      continue
    }
    const [type] = claim.types
    const scanner = new Scanner(await piiRecognizers(claim))
    const tally = named.of(type)
    for (const { text, expected_len: expected, spans } of cases) {
      const found = scanner.detect(text)
      if (expected === 0) {
        tally.clean++
        if (found.length > 0) {
          tally.alarms++
          mistakes.push(`${entity} false alarm: ${text}`)
        }
        continue
      }
      const complete = spans
        ? spans.every((span) => found.some((hit) => covers(hit, span, text)))
        : found.length > 0
      if (complete) tally.found++
      else {
        tally.missed++
        mistakes.push(`${entity} missed: ${text}`)
      }
      if (everything.detect(text).length > 0) byDefault.of(type).found++
      const redacted = scanner.replace(text, () => '█')
      for (const [start, end] of spans ?? []) {
        values++
        if (redacted.includes(text.slice(start, end))) leaked++
      }
    }
  }
  const { recall = 0, alarms, clean } = named.sum()
  return {
    guard: 'PIIDetector',
    file: 'pii_cases',
    rows: rowsOf(named, 'texts').map((row) => ({ ...row, byDefault: byDefault.of(row.type).found })),
    summary: {
      recall,
      'false alarms': alarms,
      'texts without': clean,
      'values labelled': values,
      'left after redaction': leaked,
    },
    mistakes: [...mistakes, ...unclaimed.map((entity) => `${entity} is claimed by no type`)],
  }
}

/** Whether a finding covers a labeled position, ignoring quotation marks around it. */
function covers({ start, end }: Detection, [from, to]: [number, number], text: string): boolean {
  const quote = /^(['"]).*\1$/.test(text.slice(from, to)) ? 1 : 0
  return start <= from + quote && end >= to - quote
}

interface Claim {
  types: [PIIType]
  regions?: [PIIRegion]
}

/** Types whose name differs from the lower-case entity. */
const TYPES: Readonly<Record<string, PIIType>> = {
  ABA_ROUTING_NUMBER: 'us_aba_routing',
  CRYPTO: 'crypto_wallet',
  DE_FUEHRERSCHEIN: 'de_driving_licence',
  DE_HANDELSREGISTER: 'de_commercial_register',
  DE_KFZ: 'de_vehicle_registration',
  DE_PLZ: 'de_postcode',
  DE_VAT_ID: 'de_vat',
  EMAIL_ADDRESS: 'email',
  IBAN_CODE: 'iban',
  IT_VAT_CODE: 'it_vat',
  MEDICAL_LICENSE: 'us_dea',
  PHONE_NUMBER: 'phone',
  PH_MOBILE_NUMBER: 'phone',
  TR_PHONE_NUMBER: 'phone',
  US_BANK_NUMBER: 'us_bank_account',
}

function byEntity(rows: readonly PIICase[]): Map<string, PIICase[]> {
  const groups = new Map<string, PIICase[]>()
  for (const row of rows) groups.set(entityOf(row), [...(groups.get(entityOf(row)) ?? []), row])
  return groups
}

function entityOf({ entity, file }: PIICase): string {
  return entity ?? (file.includes('phone') ? 'PHONE_NUMBER' : 'UNKNOWN')
}

/** The options that select an entity; `undefined` if no type supports it. */
function claimOf(entity: string): Claim | undefined {
  const name = TYPES[entity] ?? entity.toLowerCase()
  const type = PII_TYPES.find((each) => each === name)
  if (type === undefined) return undefined
  const prefix = /^([A-Z]{2})_/.exec(entity)?.[1]
  const region = PII_REGIONS.find((each) => each === (prefix === 'UK' ? 'GB' : prefix))
  return { types: [type], ...(region && { regions: [region] }) }
}
