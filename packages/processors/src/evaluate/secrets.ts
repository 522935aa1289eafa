import { Scanner } from '../scanner/scanner.ts'
import { secretRecognizers } from '../secrets/recognizers.ts'
import { Tallies } from './tally.ts'

/** One text of a secret rule's test: 1 where it holds a secret. Rows of doubtful `quality` are left out. */
export interface SecretRow {
  rule: string
  label: 0 | 1
  text: string
  quality?: string
}

export interface SecretsResult {
  /** By rule of the file. */
  tallies: Tallies
  mistakes: string[]
}

/** Whether anything is found in a text, whatever its type. */
export function evaluateSecrets(rows: readonly SecretRow[]): SecretsResult {
  const scanner = new Scanner(secretRecognizers)
  const result: SecretsResult = { tallies: new Tallies(), mistakes: [] }
  for (const { rule, label, text, quality = 'ok' } of rows) {
    if (quality !== 'ok') continue
    const tally = result.tallies.of(rule)
    const found = scanner.detect(text)
    if (label === 1) {
      if (found.length > 0) tally.found++
      else tally.missed++
    } else {
      tally.clean++
      if (found.length > 0) tally.alarms++
    }
    if (found.length > 0 !== (label === 1)) {
      const what = label === 1 ? 'missed' : `false alarm (${found.map(({ recognizer }) => recognizer)})`
      result.mistakes.push(`${rule} ${what}: ${text.slice(0, 200)}`)
    }
  }
  return result
}
