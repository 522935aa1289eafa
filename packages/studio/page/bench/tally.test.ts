import { expect, test } from 'vitest'
import type { BenchFinding, TableRow } from '../../src/wire.ts'
import { filterRows, formatOf, markKey, shareOf, tallyOf } from './tally.ts'

const finding: BenchFinding = { type: 'email', start: 0, end: 3, score: 1, layers: [] }

/** A row by the verdict of each guard: `+` a finding, `-` none, `!` failed. */
function row(line: number, verdicts: string, label?: boolean): TableRow {
  return {
    line,
    text: { text: `text ${line}` },
    ...(label !== undefined && { label }),
    guards: [...verdicts].map((verdict) => ({
      findings: verdict === '+' ? [finding] : [],
      ...(verdict === '!' && { error: 'It failed.' }),
    })),
  }
}

const rows = [
  row(1, '++', true),
  row(2, '-+', true),
  row(3, '+-', false),
  row(4, '--', false),
  row(5, '!-', true),
]

test('counts findings and expected findings of each guard', () => {
  expect(tallyOf(rows, 2, new Set())).toEqual([
    { found: 2, falseAlarms: 0, failed: 1, labelled: { wanted: 2, hits: 1, unwanted: 2, alarms: 1 } },
    { found: 2, falseAlarms: 0, failed: 0, labelled: { wanted: 3, hits: 2, unwanted: 2, alarms: 0 } },
  ])
})

test('a mark counts for one guard, and only in rows with findings', () => {
  const marks = new Set([markKey(1, 0), markKey(4, 0), markKey(2, 1)])
  expect(tallyOf(rows, 2, marks).map(({ falseAlarms }) => falseAlarms)).toEqual([1, 1])
})

test('without labels there are no label counts', () => {
  expect(tallyOf([row(1, '+')], 1, new Set())).toEqual([{ found: 1, falseAlarms: 0, failed: 0 }])
})

test('filters rows by findings and by wrong verdicts', () => {
  const lines = (filter: Parameters<typeof filterRows>[1], marks: string[] = []) =>
    filterRows(rows, filter, new Set(marks)).map(({ line }) => line)
  expect(lines('all')).toEqual([1, 2, 3, 4, 5])
  expect(lines('found')).toEqual([1, 2, 3])
  expect(lines('nothing')).toEqual([4, 5])
  expect(lines('wrong')).toEqual([3, 5])
  expect(lines('wrong', [markKey(1, 1)])).toEqual([1, 3, 5])
})

test('the share of nothing is undefined', () => {
  expect(shareOf(0, 0)).toBeUndefined()
  expect(shareOf(1, 4)).toBe(0.25)
})

test.each([
  ['texts.jsonl', 'jsonl'],
  ['TEXTS.NDJSON', 'jsonl'],
  ['texts.csv', 'csv'],
  ['texts.csv.txt', 'text'],
  ['texts', 'text'],
])('%s is read as %s', (name, format) => {
  expect(formatOf(name)).toBe(format)
})
