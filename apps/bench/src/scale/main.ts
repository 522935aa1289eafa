// Measures what calls cost in databases of 10,000, 100,000 and 1,000,000 messages: `pnpm bench scale`.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { overBudget, type SuiteReport } from '../figure.ts'
import { toTable } from '../table.ts'
import { measureStore } from './measure-store.ts'
import { measurePgvector } from './pgvector.ts'
import { scaleStores } from './scale-store.ts'

const VECTORS = 100_000
const USAGE = `Usage: pnpm bench scale [store …] [--sizes 10000,100000,1000000] [--json <file>]

Measures calls of one tenant while others fill the database. Stores: ${Object.keys(scaleStores).join(', ')}.
Fails if a call becomes slower with the data of others, or blocks the event loop. pgvector: an HNSW index of ${VECTORS} vectors
is compared with exact search, for any --sizes; fails if its recall is too low.
`

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const sizes = flags.sizes.split(',').map(Number)
const all = [...Object.keys(scaleStores), 'pgvector']
const names = positionals.length > 0 ? positionals : all
const isKnown = names.every((name) => all.includes(name)) && sizes.every((size) => size >= 10_000)

if (flags.help || !isKnown) {
  process.stderr.write(USAGE)
  process.exitCode = flags.help ? 0 : 1
} else {
  const reports: SuiteReport[] = []
  for (const name of names) {
    const started = performance.now()
    const figures = name === 'pgvector' ? await measurePgvector(VECTORS) : await measureStore(name, sizes)
    const minutes = (performance.now() - started) / 60_000
    figures.push({ name: `${name}: run time`, value: minutes, unit: 'minutes' })
    const report = { suite: `scale: ${name}`, measurements: [], figures }
    reports.push(report)
    process.stdout.write(`${toTable([report])}\n\n`)
  }
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(reports, null, 2)}\n`)
  const over = overBudget(reports)
  if (over.length > 0) {
    process.stderr.write(`Over budget:\n${over.map((line) => `  ${line}\n`).join('')}`)
    process.exitCode = 1
  }
}
