import type { TableRow } from '../../src/wire.ts'

/** The counts of one guard over all texts. */
export interface Tally {
  /** Rows with findings. */
  found: number
  /** Rows with findings that were marked as false alarms. */
  falseAlarms: number
  /** Rows on which the guard failed. */
  failed: number
  /** Only if rows have labels. */
  labelled?: {
    /** Rows with an expected finding, and how many of them have one. */
    wanted: number
    hits: number
    /** Rows without an expected finding, and how many of them have one. */
    unwanted: number
    alarms: number
  }
}

/** The key of a guard's verdict on a row, for marks. */
export function markKey(line: number, guardIndex: number): string {
  return `${line} ${guardIndex}`
}

/** Counts for each guard, in the order of the request. */
export function tallyOf(rows: readonly TableRow[], guardCount: number, marks: ReadonlySet<string>): Tally[] {
  return Array.from({ length: guardCount }, (_, index) => tallyGuard(rows, index, marks))
}

function tallyGuard(rows: readonly TableRow[], index: number, marks: ReadonlySet<string>): Tally {
  const tally: Tally = { found: 0, falseAlarms: 0, failed: 0 }
  const labelled = { wanted: 0, hits: 0, unwanted: 0, alarms: 0 }
  for (const { line, label, guards } of rows) {
    const verdict = guards[index]
    if (!verdict) continue
    if (verdict.error !== undefined) {
      tally.failed++
      continue
    }
    const isFound = verdict.findings.length > 0
    if (isFound) tally.found++
    if (isFound && marks.has(markKey(line, index))) tally.falseAlarms++
    if (label === undefined) continue
    labelled[label ? 'wanted' : 'unwanted']++
    if (isFound) labelled[label ? 'hits' : 'alarms']++
  }
  return labelled.wanted + labelled.unwanted > 0 ? { ...tally, labelled } : tally
}

/** The ratio of `part` to `whole`; `undefined` if `whole` is 0. */
export function shareOf(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined
}

export type RowFilter = 'all' | 'found' | 'nothing' | 'wrong'

/** Filters rows. `wrong`: the label contradicts a guard, or the row is marked. */
export function filterRows(
  rows: readonly TableRow[],
  filter: RowFilter,
  marks: ReadonlySet<string>,
): readonly TableRow[] {
  if (filter === 'all') return rows
  return rows.filter(({ line, label, guards }) => {
    const isFound = guards.some(({ findings }) => findings.length > 0)
    if (filter === 'found') return isFound
    if (filter === 'nothing') return !isFound
    return (
      (label !== undefined && label !== isFound) || guards.some((_, index) => marks.has(markKey(line, index)))
    )
  })
}

/** The format of a file, by its extension. */
export function formatOf(fileName: string): 'jsonl' | 'csv' | 'text' {
  if (/\.(?:jsonl|ndjson)$/i.test(fileName)) return 'jsonl'
  return /\.csv$/i.test(fileName) ? 'csv' : 'text'
}
