import type { Tallies, Tally } from './tally.ts'

/** The results of a guard on one labeled file. */
export interface Report {
  guard: string
  /** Without folder and extension. */
  file: string
  rows: ReportRow[]
  /** Figures of all rows. */
  summary: Record<string, number>
  /** False negatives and false positives, for work on the recognizers. */
  mistakes: string[]
}

export interface ReportRow {
  type: string
  found: number
  missed: number
  precision?: number
  recall?: number
  f1?: number
  /** The share of texts without this type that have a finding (false positive rate). */
  falseAlarms?: number
  [more: string]: number | string | undefined
}

/** Whether the labels of a file apply to positions in texts or to whole texts. */
export type Labels = 'places' | 'texts'

/** The rows of a report, weakest first. */
export function rowsOf(tallies: Tallies, labels: Labels): ReportRow[] {
  const rows = [...tallies].map(([type, tally]) => rowOf(type, tally, labels))
  return rows.sort((a, b) => strength(a) - strength(b) || a.type.localeCompare(b.type))
}

function rowOf(type: string, tally: Tally, labels: Labels): ReportRow {
  const { found, missed, wrong, clean, alarms, precision, recall, f1, falseAlarms } = tally
  return labels === 'places'
    ? { type, found, missed, wrong, ...defined({ precision, recall, f1 }) }
    : { type, found, missed, ...defined({ recall }), clean, alarms, ...defined({ falseAlarms }) }
}

/** Reports as Markdown. */
export function toMarkdown(reports: readonly Report[]): string {
  return reports.map(reportToMarkdown).join('\n\n')
}

function reportToMarkdown({ guard, file, rows, summary }: Report): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const table = [
    columns,
    columns.map(() => '---'),
    ...rows.map((row) => columns.map((name) => shown(row[name]))),
  ]
  const lines = table.map((cells) => `| ${cells.join(' | ')} |`)
  const figures = Object.entries(summary).map(([name, value]) => `- ${name}: ${shown(value)}`)
  return [`## ${guard}: ${file}`, '', ...figures, '', ...(rows.length > 0 ? lines : [])].join('\n').trimEnd()
}

function shown(value: number | string | undefined): string {
  if (typeof value !== 'number') return value ?? ''
  return Number.isInteger(value) ? String(value) : value.toFixed(3)
}

function strength({ f1 = 1, recall = 1, falseAlarms = 0 }: ReportRow): number {
  return Math.min(f1, recall, 1 - falseAlarms)
}

function defined<T extends Record<string, number | undefined>>(figures: T): { [KEY in keyof T]?: number } {
  const entries = Object.entries(figures).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [KEY in keyof T]?: number }
}
