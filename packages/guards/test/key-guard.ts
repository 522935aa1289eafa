import type { Finding } from '../src/guard/options.ts'
import { TextGuard, type TextGuardOptions } from '../src/guard/text-guard.ts'
import { Scanner } from '../src/scanner/scanner.ts'

/** What {@link guard} finds. */
export const value = 'KEY-1234'

export const scanner = new Scanner([{ type: 'key', pattern: /\bKEY-\d{4}\b/ }])

export function guard(options: Partial<TextGuardOptions> = {}): TextGuard {
  return new TextGuard({ id: 'guard', scanner, ...options })
}

/** A guard, with what it has reported. */
export function reporting(options: Partial<TextGuardOptions> = {}): {
  findings: Finding[]
  guard: TextGuard
} {
  const findings: Finding[] = []
  return { findings, guard: guard({ onDetection: (finding) => void findings.push(finding), ...options }) }
}
