import type { Row } from '../train/rows.ts'
import { readRows } from './data-file.ts'
import { evaluateInjection } from './injection.ts'
import { toMarkdown } from './report.ts'

const [folder] = process.argv.slice(2)
const rows = folder === undefined ? undefined : readRows<Row>(folder, 'injection')

if (rows === undefined) {
  process.stderr.write(
    `${folder ?? 'No folder'}: there is no file 'injection.json' or 'injection.jsonl', also with .gz. Usage: evaluate <folder>\n`,
  )
  process.exitCode = 1
} else {
  process.stdout.write(`${toMarkdown([await evaluateInjection(rows)])}\n`)
}
