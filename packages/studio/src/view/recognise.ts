import { optionalImport } from '../optional-import.ts'
import type { HiddenValue } from '../record/record-store.ts'

/** What is found in a text, and where. */
interface Detected {
  type: string
  start: number
  end: number
}

type Detect = (text: string) => readonly Detected[]

/** Characters that are looked at: what a change keeps is not longer. */
const MAX_LENGTH = 20_000

let loaded: Promise<Detect> | undefined

/**
 * Finds personal data and secrets, to name what a guard has taken away. With the packages of guards that are installed; without
 * any, it finds nothing.
 */
export async function recogniser(): Promise<Detect> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Detect> {
  const scanners = await optionalImport<typeof import('@millrace/guards/scanner')>('@millrace/guards/scanner')
  if (!scanners) return () => []
  const secrets = await optionalImport<typeof import('@millrace/guards/secrets')>('@millrace/guards/secrets')
  const personal = await optionalImport<typeof import('@millrace/pii')>('@millrace/pii')
  const scanner = await scanners.Scanner.load([
    ...((await personal?.piiRecognizers()) ?? []),
    ...((await secrets?.secretRecognizers()) ?? []),
  ])
  return (text) => scanner.detect(text.slice(0, MAX_LENGTH))
}

/** The values of a text that are found in it, longest first. */
export function valuesIn(text: string, detect: Detect): HiddenValue[] {
  return detect(text).map(({ type, start, end }) => ({ kind: type, value: text.slice(start, end) }))
}
