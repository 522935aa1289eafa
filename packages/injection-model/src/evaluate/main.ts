import { parseArgs } from 'node:util'
import { readDataFolder } from '../train/data-folder.ts'
import type { Row } from '../train/rows.ts'
import { readRows } from './data-file.ts'
import { evaluateInjection } from './injection.ts'
import { evaluateLeftOut } from './left-out.ts'
import { toMarkdown } from './report.ts'

const USAGE = `Usage: evaluate <folder> [--left-out] [--json] [--mistakes]

Scores the weights on the rows of injection.json or injection.jsonl, also with .gz, that they have not seen.

  --left-out  scores all rows of the folder, each by a classifier that has not seen its source, and texts of our own
  --json      prints JSON instead of Markdown
  --mistakes  also says which texts were missed or found wrongly
`

const { values: flags, positionals } = parseArgs({
  options: {
    'left-out': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    mistakes: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const [folder] = positionals
const rows = folder === undefined ? undefined : readRows<Row>(folder, 'injection')

if (folder === undefined || rows === undefined) {
  const what = `${folder ?? 'No folder'}: there is no file 'injection.json' or 'injection.jsonl', also with .gz.`
  process.stderr.write(`${what}\n${USAGE}`)
  process.exitCode = 1
} else {
  const report = flags['left-out']
    ? await evaluateLeftOut([...readDataFolder(folder).values()])
    : await evaluateInjection(rows)
  // Texts of others are shown only where they are asked for.
  const shown = flags.mistakes ? report : { ...report, mistakes: [] }
  if (flags.json) process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  else {
    process.stdout.write(`${toMarkdown([shown])}\n`)
    if (flags.mistakes) process.stdout.write(`\n${shown.mistakes.join('\n')}\n`)
  }
}
