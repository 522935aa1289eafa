import { createHash } from 'node:crypto'
import type { Row } from './rows.ts'

/** The hash of a row's content, which identifies it. */
export function hashOf({ text, label, set, licence }: Omit<Row, 'order'>): string {
  return hashOfValue([text, label, set, licence])
}

/** 72 bits of SHA-256, as 12 characters of base64url. */
export function hashOfValue(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12)
}

/** SHA-256 of rows in their order, in hexadecimal. */
export function hashOfAll(rows: readonly Row[]): string {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(hashOf(row))
  return hash.digest('hex')
}
