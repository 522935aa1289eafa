import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { overBudget, type SuiteReport } from './figure.ts'
import { drawFigures } from './figures/draw-figures.ts'
import { FIGURES, measureFigures } from './figures/measure-figures.ts'
import { suites } from './suites.ts'
import { toTable } from './table.ts'

const USAGE = `Usage: pnpm bench [suite …] [--quick] [--check] [--json <file>]
       pnpm bench --chart [figure …] [--quick] [--data <folder>] [--scores <file>]

Compares Millrace with baselines: a plain reader of the model's stream, a prepared statement, a single pattern.

${suites.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}

  --quick         fewer rounds, and nothing that takes minutes or the network
  --check         fails if a result is over its budget by more than a quarter in three runs
  --json <file>   also writes the results as JSON
  --chart         measures and updates the page of figures instead: ${FIGURES.join(', ')}
  --data <folder> the folder with labeled data for guards, speed, injection and recall
  --scores <file> the output of \`evaluate --left-out --json\` of packages/injection-model, instead of measuring injection
`

/** The factor over its budget at which a result fails the check, because of noise. */
const MARGIN = 1.25
const ATTEMPTS = 3

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    json: { type: 'string' },
    chart: { type: 'boolean', default: false },
    data: { type: 'string' },
    scores: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const known = suites.map(({ name }) => name)
// The names of figures are checked in measureFigures.
const unknown = flags.chart ? [] : names.filter((name) => !known.includes(name))

if (flags.help || unknown.length > 0) {
  process.stderr.write(`${unknown.map((name) => `There is no suite '${name}'.\n`).join('')}${USAGE}`)
  process.exitCode = flags.help ? 0 : 1
} else if (flags.chart) {
  try {
    await measureFigures(names, { quick: flags.quick, data: flags.data, scores: flags.scores })
    drawFigures()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
} else {
  const reports = await run(names)
  process.stdout.write(`${toTable(reports)}\n`)
  if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(reports, null, 2)}\n`)
  if (flags.check) await check(reports)
}

async function run(only: readonly string[]): Promise<SuiteReport[]> {
  const reports: SuiteReport[] = []
  for (const suite of suites) {
    if (only.length > 0 && !only.includes(suite.name)) continue
    reports.push({ suite: suite.name, ...(await suite.run({ quick: flags.quick })) })
  }
  return reports
}

/** Measures results over budget again: noise only makes them worse. */
async function check(first: SuiteReport[]): Promise<void> {
  let reports = first
  for (let attempt = 1; ; attempt++) {
    const over = overBudget(reports, MARGIN)
    if (over.length === 0) return
    if (attempt === ATTEMPTS) {
      process.stderr.write(`Over budget:\n${over.map((line) => `  ${line}\n`).join('')}`)
      process.exitCode = 1
      return
    }
    const again = reports.filter((report) => overBudget([report], MARGIN).length > 0)
    reports = await run(again.map(({ suite }) => suite))
  }
}
