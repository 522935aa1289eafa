import { isRecord } from '@millrace/core'
import Papa from 'papaparse'
import { StudioError } from '../studio-error.ts'
import type { TableRequest } from '../wire.ts'

/** The parsed texts of a file. */
export interface TextTable {
  columns: string[]
  textField: string
  labelField?: string
  rows: { line: number; text: string; label?: boolean }[]
}

type Row = Readonly<Record<string, unknown>>

const YES = new Set([
  'true',
  '1',
  'yes',
  'attack',
  'injection',
  'unsafe',
  'positive',
  'spam',
  'pii',
  'secret',
  'flagged',
])

/** @throws StudioError `REQUEST_INVALID`, which names the line */
export function readTable(request: TableRequest, maxRows: number): TextTable {
  const rows = rowsOf(request)
  if (rows.length === 0) throw invalid('it has no texts')
  if (rows.length > maxRows) throw invalid(`it has ${rows.length} texts, and the maximum is ${maxRows}`)
  const columns = [...new Set(rows.slice(0, 100).flatMap(({ row }) => Object.keys(row)))]
  const textField =
    fieldOf('textField', request.textField, columns) ??
    (columns.includes('text') ? 'text' : (columns[0] ?? 'text'))
  const labelField = fieldOf('labelField', request.labelField, columns)
  return {
    columns,
    textField,
    ...(labelField !== undefined && { labelField }),
    rows: rows.map(({ line, row }) => {
      const text = Object.hasOwn(row, textField) ? row[textField] : ''
      const label = labelField !== undefined && Object.hasOwn(row, labelField) ? row[labelField] : undefined
      return {
        line,
        text: typeof text === 'string' ? text : (JSON.stringify(text) ?? ''),
        ...(label !== undefined && { label: YES.has(String(label).trim().toLowerCase()) }),
      }
    }),
  }
}

function rowsOf({ content, format }: TableRequest): { line: number; row: Row }[] {
  if (format === 'csv') return csvRows(content)
  return content.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '') return []
    const row = format === 'text' ? { text: line } : jsonRow(line, index + 1)
    return [{ line: index + 1, row }]
  })
}

function jsonRow(line: string, number: number): Row {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw invalid(`line ${number} is not JSON`)
  }
  if (typeof value === 'string') return { text: value }
  if (isRecord(value)) return value
  throw invalid(`line ${number} is neither a string nor an object`)
}

/** The first row has the column names. Rows are counted, not lines: a field may have line breaks. */
function csvRows(content: string): { line: number; row: Row }[] {
  const { data, errors } = Papa.parse<string[]>(content.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' })
  const fault = errors.find(({ code }) => code !== 'UndetectableDelimiter')
  if (fault) throw invalid(`row ${(fault.row ?? 0) + 1}: ${fault.message}`)
  const [header = [], ...rows] = data
  return rows.map((cells, index) => ({
    line: index + 2,
    row: Object.fromEntries(header.map((name, column) => [name, cells[column] ?? ''])),
  }))
}

function fieldOf(option: string, name: string | undefined, columns: readonly string[]): string | undefined {
  if (name === undefined || columns.includes(name)) return name
  throw new StudioError(
    'REQUEST_INVALID',
    `${option} is '${name}'. Use one of: ${columns.slice(0, 20).join(', ')}.`,
  )
}

function invalid(why: string): StudioError {
  return new StudioError('REQUEST_INVALID', `The file cannot be read: ${why}.`)
}
