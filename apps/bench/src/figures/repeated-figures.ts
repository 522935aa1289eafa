// Documents that quote figures of the results: sentences, whose numbers are updated, and generated tables.
import type { z } from 'zod'
import { milliseconds, percent, table } from './figure-text.ts'
import { readResult } from './result-file.ts'
import {
  countsOf,
  exampleScores,
  Guards,
  Peers,
  Recall,
  recallCells,
  secretScores,
  summaryOf,
} from './scores.ts'

/** Chunks that a contest of the frameworks reads in a round: five times a thousand. */
const CHUNKS = 5_000

/** A sentence in another document. Its numbers are updated; its words must exist. */
export interface Quote {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly text: string
}

export function quotes(): Quote[] {
  const found = readResult('guards', Guards).values
  const secrets = secretScores(found)
  const examples = exampleScores(found)
  const documents = summaryOf(found, 'pii_documents')
  const moderation = countsOf(found, 'texts of our own')
  const sieve = summaryOf(found, 'texts of our own')
  const report = recallReport()
  const microseconds = (timeOf('with ten stages') * 1_000) / CHUNKS
  return [
    {
      file: 'packages/guards/docs/scores.md',
      text: `Recall is ${secrets.recall.toFixed(2)} of ${secrets.texts}, with false alarms in ${(secrets.falseAlarms * 100).toFixed(1)} % of ${secrets.clean}.`,
    },
    {
      file: 'packages/pii/docs/pii.md',
      text: `with the detector take ${milliseconds(timeOf('with a guard for personal data'))}, and ${milliseconds(timeOf('1,000 text chunks'))} without it`,
    },
    {
      file: 'packages/guards/docs/moderation.md',
      text: `it finds ${percent(moderation.recall)} of ${moderation.texts} and flags ${percent(sieve['false alarms'] ?? 0)} of ${(sieve.texts ?? 0) - moderation.texts} harmless ones`,
    },
    {
      file: 'packages/pii/docs/scores.md',
      text: `${examples.found} of ${examples.texts} found, ${examples.alarms} false alarms in ${examples.clean}.`,
    },
    { file: 'packages/pii/docs/scores.md', text: `There are ${documents['values labelled']} values;` },
    {
      file: 'packages/memory/README.md',
      text: `question, ${Math.round((report.all.turns[10] ?? 0) * 100)} % are among the first ten that recall returns`,
    },
    {
      file: 'README.md',
      text: `A chunk that passes ten processors costs ${microseconds.toFixed(1)} microseconds.`,
    },
  ]
}

/** Millrace's milliseconds in a contest of the frameworks. */
function timeOf(contest: string): number {
  const found = readResult('peers', Peers).values.find(
    (each) => each.contest === contest && each.name === 'Millrace',
  )
  if (!found)
    throw new Error(
      `The result of peers has no contest '${contest}' of Millrace. Measure it: pnpm bench --chart peers.`,
    )
  return found.fastest
}

/** A generated part of a page, between marks. */
export interface Block {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly name: string
  readonly text: string
}

export function blocks(): Block[] {
  const guards = readResult('guards', Guards).values
  return [
    { file: 'packages/pii/docs/scores.md', name: 'documents', text: documentTable(guards) },
    { file: 'packages/pii/docs/scores.md', name: 'examples', text: exampleTable(guards) },
    { file: 'packages/memory/docs/recall-and-facts.md', name: 'recall', text: recallTable() },
  ]
}

type Report = z.infer<typeof Guards>[number]
type Row = Report['rows'][number]

function rowsOf(reports: readonly Report[], file: string): Row[] {
  return reports.find((report) => report.file === file)?.rows ?? []
}

const number = (row: Row, key: string): number => Number(row[key] ?? 0)

function documentTable(reports: readonly Report[]): string {
  const rows = rowsOf(reports, 'pii_documents').map((row) => [
    `\`${row.type}\``,
    String(number(row, 'found') + number(row, 'missed')),
    percent(number(row, 'precision')),
    percent(number(row, 'recall')),
  ])
  return table(['type', 'labelled', 'precision', 'recall'], rows)
}

/** Types of one country are in one row, with the missed ones. */
function exampleTable(reports: readonly Report[]): string {
  const groups = Map.groupBy(
    rowsOf(reports, 'pii_cases'),
    ({ type }) => countryOf(String(type)) ?? `\`${type}\``,
  )
  const rows = [...groups].map(([name, types]) => {
    const sum = (key: string): number => types.reduce((total, row) => total + number(row, key), 0)
    const missed = types
      .filter((row) => number(row, 'missed') > 0)
      .map(
        (row) => `\`${row.type}\` ${number(row, 'found')} of ${number(row, 'found') + number(row, 'missed')}`,
      )
    return [
      name,
      `${sum('found')} of ${sum('found') + sum('missed')}${missed.length > 0 ? ` (${missed.join(', ')})` : ''}`,
      String(sum('byDefault')),
      `${sum('alarms')} of ${sum('clean')}`,
    ]
  })
  // Types without a country first.
  const sorted = rows.toSorted(
    ([a = ''], [b = '']) => Number(b[0] === '`') - Number(a[0] === '`') || a.localeCompare(b, 'en'),
  )
  return table(['', 'found', 'by default', 'false alarms'], sorted)
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** The country of a type such as `de_vat`. */
function countryOf(type: string): string | undefined {
  const [, code] = /^([a-z]{2})_/.exec(type) ?? []
  return code === undefined ? undefined : COUNTRIES.of(code === 'uk' ? 'GB' : code.toUpperCase())
}

/** The names of the kinds of questions. */
const KINDS: Readonly<Record<string, string>> = {
  'single-hop': 'one turn',
  'multi-hop': 'several turns',
  temporal: 'time',
  'open-domain': 'open',
}

function recallReport(): z.infer<typeof Recall>[number] {
  const [report] = readResult('recall', Recall).values
  if (!report) throw new Error('The result of recall has no store.')
  return report
}

function recallTable(): string {
  const { all, categories } = recallReport()
  return table(
    ['questions', 'number', '5 turns', '10 turns', '20 turns', '500 tokens', '1,000 tokens', 'MRR'],
    [
      ['all', ...recallCells(all)],
      ...Object.entries(categories).map(([kind, scores]) => [KINDS[kind] ?? kind, ...recallCells(scores)]),
    ],
  )
}
