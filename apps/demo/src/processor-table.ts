import type { ProcessorAction, ProcessorRecord } from '@millrace/core'
import Table from 'cli-table3'
import type { Format, Terminal } from './terminal.ts'

/** Weakest first. */
const COLOURS = {
  passed: 'dim',
  changed: 'yellow',
  denied: 'red',
  retried: 'magenta',
  suspended: 'cyan',
  halted: 'magenta',
  aborted: 'red',
  failed: 'red',
} as const satisfies Record<ProcessorAction, Format>

const ACTIONS = Object.keys(COLOURS) as ProcessorAction[]

/**
 * A table with a row for each processor that did more than pass, in the order of execution: its strongest outcome and its
 * hooks. `undefined` if there is none.
 */
export function processorTable(records: readonly ProcessorRecord[], terminal: Terminal): string | undefined {
  const table = new Table({
    head: ['processor', 'did', 'in', 'calls', 'ms'],
    colAligns: ['left', 'left', 'left', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  })
  for (const [processorId, own] of Map.groupBy(records, (record) => record.processorId)) {
    const action = ACTIONS.findLast((each) => own.some((record) => record.action === each)) ?? 'passed'
    if (action === 'passed') continue
    const hooks = new Set(own.filter((record) => record.action === action).map(({ hook }) => hook))
    const calls = own.reduce((sum, record) => sum + record.calls, 0)
    const durationMs = own.reduce((sum, record) => sum + record.durationMs, 0)
    const cells = [processorId, action, [...hooks].join('\n'), calls, durationMs.toFixed(1)]
    table.push(cells.map((cell) => terminal.style(COLOURS[action], String(cell))))
  }
  return table.length > 0 ? table.toString() : undefined
}
