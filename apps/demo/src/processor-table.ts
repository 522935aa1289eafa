import type { ProcessorAction, ProcessorRecord } from '@millrace/core'
import Table from 'cli-table3'
import type { Format, Terminal } from './terminal.ts'

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

/** A row for each processor, hook and step, in the order in which the run reached them. */
export function processorTable(records: readonly ProcessorRecord[], terminal: Terminal): string {
  const table = new Table({
    head: ['step', 'hook', 'processor', 'did', 'calls', 'ms'],
    colAligns: ['right', 'left', 'left', 'left', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  })
  for (const { stepNumber, hook, processorId, action, calls, durationMs } of records) {
    const cells = [stepNumber ?? '', hook, processorId, action, calls, durationMs.toFixed(1)]
    table.push(cells.map((cell) => terminal.style(COLOURS[action], String(cell))))
  }
  return table.toString()
}
