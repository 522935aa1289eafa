import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readDataFolder } from '../train/data-folder.ts'
import type { Row } from '../train/rows.ts'
import { readRows } from './data-file.ts'
import { evaluateInjection } from './injection.ts'
import { learned } from './learned.ts'
import { evaluateLeftOut } from './left-out.ts'
import { writeModelCard } from './model-card.ts'
import { toMarkdown } from './report.ts'
import { evaluateShipped } from './shipped.ts'

const USAGE = `Usage: evaluate <folder> [--left-out] [--json] [--mistakes]
       evaluate <folder> --model-card <file>

Scores the weights on the rows of injection.json or injection.jsonl, also with .gz, that they have not seen.

  --left-out    scores all rows of the folder, each by a classifier that has not seen its source, and texts of our own
  --json        prints JSON instead of Markdown
  --mistakes    also says which texts were missed or found wrongly
  --model-card  writes the tables of the model card: of <file>, which is what --left-out --json printed, and of the weights that
                ship on all rows of the folder that they have not seen
`

const { values: flags, positionals } = parseArgs({
  options: {
    'left-out': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    mistakes: { type: 'boolean', default: false },
    'model-card': { type: 'string' },
  },
  allowPositionals: true,
})
const [folder] = positionals
const rows = folder === undefined ? undefined : readRows<Row>(folder, 'injection')

if (folder === undefined || rows === undefined) {
  const what = `${folder ?? 'No folder'}: there is no file 'injection.json' or 'injection.jsonl', also with .gz.`
  process.stderr.write(`${what}\n${USAGE}`)
  process.exitCode = 1
} else if (flags['model-card'] !== undefined) {
  const leftOut = JSON.parse(readFileSync(flags['model-card'], 'utf8'))
  const data = [...readDataFolder(folder).values()]
  writeModelCard({ leftOut, shipped: await evaluateShipped(data), learned: learned(data) })
} else {
  const report = flags['left-out']
    ? await evaluateLeftOut([...readDataFolder(folder).values()])
    : await evaluateInjection(rows)
  // Third-party texts are only shown on request.
  const shown = flags.mistakes ? report : { ...report, mistakes: [] }
  if (flags.json) process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  else {
    process.stdout.write(`${toMarkdown([shown])}\n`)
    if (flags.mistakes) process.stdout.write(`\n${shown.mistakes.join('\n')}\n`)
  }
}
