import { optionalImport } from '../optional-import.ts'
import type { HiddenValue } from '../record/record-store.ts'

/** A detected value and its position. */
interface Detected {
  type: string
  start: number
  end: number
}

type Detect = (text: string) => readonly Detected[]

/** Maximum length of a scanned text: recorded changes are not longer. */
const MAX_LENGTH = 20_000

let loaded: Promise<Detect> | undefined

/**
 * A function that detects personal data and secrets, to name the values that guards removed. It uses the installed guard
 * packages; without any, it detects nothing.
 */
export async function loadDetector(): Promise<Detect> {
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

/** The detected values of a text, longest first. */
export function detectedValues(text: string, detect: Detect): HiddenValue[] {
  return detect(text).map(({ type, start, end }) => ({ kind: type, value: text.slice(start, end) }))
}
