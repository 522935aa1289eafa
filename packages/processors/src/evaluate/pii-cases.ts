import { piiRecognizers } from '../pii/recognizers.ts'
import { PII_REGIONS, PII_TYPES, type PIIRegion, type PIIType } from '../pii/types.ts'
import type { Detection } from '../scanner/recognizer.ts'
import { Scanner } from '../scanner/scanner.ts'
import { Tallies } from './tally.ts'

/** One example of a recogniser's test: `spans` are places in UTF-16 units, where the test gives them. */
export interface PIICase {
  file: string
  /** Null where the test is about telephone numbers. */
  entity: string | null
  text: string
  expected_len: number
  spans: [start: number, end: number][] | null
}

export interface PIICasesResult {
  /** With the type asked for by name, in its country. */
  named: Tallies
  /** With everything on, and found as whatever type. */
  byDefault: Tallies
  /** Entities of the file that no recogniser claims. */
  unclaimed: string[]
  mistakes: string[]
}

/** Every type on its own: what is labelled must be found as a whole, and nothing in a text without it. */
export async function evaluatePIICases(rows: readonly PIICase[]): Promise<PIICasesResult> {
  const result: PIICasesResult = {
    named: new Tallies(),
    byDefault: new Tallies(),
    unclaimed: [],
    mistakes: [],
  }
  const everything = new Scanner(await piiRecognizers())
  for (const [entity, cases] of byEntity(rows)) {
    const claim = claimOf(entity)
    if (claim === undefined) {
      result.unclaimed.push(entity)
      continue
    }
    const [type] = claim.types
    const scanner = new Scanner(await piiRecognizers(claim))
    const named = result.named.of(type)
    const byDefault = result.byDefault.of(type)
    for (const row of cases) {
      const found = scanner.detect(row.text)
      if (row.expected_len === 0) {
        named.clean++
        if (found.length > 0) {
          named.alarms++
          result.mistakes.push(`${entity} false alarm: ${row.text}`)
        }
        continue
      }
      const complete = row.spans
        ? row.spans.every((span) => found.some((hit) => covers(hit, span, row.text)))
        : found.length >= Math.min(row.expected_len, 1)
      if (complete) named.found++
      else {
        named.missed++
        result.mistakes.push(`${entity} missed: ${row.text} ${JSON.stringify(found)}`)
      }
      if (everything.detect(row.text).length > 0) byDefault.found++
      else byDefault.missed++
    }
  }
  return result
}

/** Whether a finding covers a labelled place; quotation marks around it do not count. */
function covers({ start, end }: Detection, [from, to]: [number, number], text: string): boolean {
  const value = text.slice(from, to)
  const quote = /^(['"]).*\1$/.test(value) ? 1 : 0
  return start <= from + quote && end >= to - quote
}

interface Claim {
  types: [PIIType]
  regions?: [PIIRegion]
}

/** Types whose name is not the entity's in small letters. */
const TYPES: Readonly<Record<string, string>> = {
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

/** The selection that a user makes for an entity, or undefined where no type claims it. */
function claimOf(entity: string): Claim | undefined {
  const name = TYPES[entity] ?? entity.toLowerCase()
  const type = PII_TYPES.find((each) => each === name)
  if (type === undefined) return undefined
  const prefix = /^([A-Z]{2})_/.exec(entity)?.[1]
  const region = PII_REGIONS.find((each) => each === (prefix === 'UK' ? 'GB' : prefix))
  return { types: [type], ...(region && { regions: [region] }) }
}
