import { Scanner } from '@millrace/guards/scanner'
import { secretRecognizers } from '@millrace/guards/secrets'
import { type Report, rowsOf, Tallies } from '@millrace/injection-model'

/** A text of a secret rule's test: the label is 1 if it has a secret. Rows of doubtful `quality` are skipped. */
export interface SecretRow {
  rule: string
  label: 0 | 1
  text: string
  quality?: string
}

/** Whether anything is found in a text, of any type. */
export async function evaluateSecrets(rows: readonly SecretRow[]): Promise<Report> {
  const scanner = new Scanner(await secretRecognizers())
  const tallies = new Tallies()
  const mistakes: string[] = []
  for (const { rule, label, text, quality = 'ok' } of rows) {
    if (quality !== 'ok') continue
    const tally = tallies.of(rule)
    const found = scanner.detect(text)
    if (label === 1) {
      if (found.length > 0) tally.found++
      else tally.missed++
    } else {
      tally.clean++
      if (found.length > 0) tally.alarms++
    }
    if (found.length > 0 === (label === 1)) continue
    const what = label === 1 ? 'missed' : `false alarm of ${found.map(({ recognizer }) => recognizer)}`
    mistakes.push(`${rule} ${what}: ${text.slice(0, 200)}`)
  }
  const { recall = 0, falseAlarms = 0 } = tallies.sum()
  return {
    guard: 'SecretDetector',
    file: 'secrets',
    rows: rowsOf(tallies, 'texts'),
    summary: { recall, 'false alarms': falseAlarms },
    mistakes,
  }
}
