import { isRecord, type Message } from '@millrace/core'
import { invalidExport } from './lines.ts'

/** The format version that this package writes, and the newest one that it reads. */
export const EXPORT_VERSION = 1

/**
 * One line of an export. The header is the first line, the end the last. A thread comes before its messages,
 * a message before its files.
 */
export type ExportRecord =
  | { type: 'header'; format: 'millrace-resource'; version: number; resourceId: string }
  | { type: 'resource'; metadata: Record<string, unknown>; state: Record<string, unknown> }
  | {
      type: 'thread'
      id: string
      title?: string
      metadata: Record<string, unknown>
      state: Record<string, unknown>
    }
  | {
      type: 'message'
      sequence: number
      id: string
      role: Message['role']
      /** ISO 8601. */
      createdAt: string
      content: Message['content']
    }
  | { type: 'file'; id: string /** Base64. */; data: string }
  | { type: 'end'; threads: number; messages: number }

export function toLine(record: ExportRecord): string {
  return `${JSON.stringify(record)}\n`
}

/** @throws MillraceError `STORAGE_INPUT_INVALID` */
export function parseLine(line: string): ExportRecord {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw invalidExport('a line is not JSON', cause)
  }
  if (isRecord(value) && isExportRecord(value)) return value as unknown as ExportRecord
  throw invalidExport(
    `a line of type '${isRecord(value) ? String(value.type).slice(0, 40) : typeof value}' is not valid`,
  )
}

function isExportRecord(value: Record<string, unknown>): boolean {
  const isText = (...names: string[]): boolean => names.every((name) => typeof value[name] === 'string')
  const isObject = (...names: string[]): boolean => names.every((name) => isRecord(value[name]))
  const isCount = (...names: string[]): boolean => names.every((name) => Number.isSafeInteger(value[name]))
  switch (value.type) {
    case 'header':
      return value.format === 'millrace-resource' && isCount('version') && isText('resourceId')
    case 'resource':
      return isObject('metadata', 'state')
    case 'thread':
      return isText('id') && isObject('metadata', 'state') && (value.title === undefined || isText('title'))
    case 'message':
      return (
        isText('id', 'role', 'createdAt') &&
        isCount('sequence') &&
        isObject('content') &&
        !Number.isNaN(Date.parse(String(value.createdAt)))
      )
    case 'file':
      return isText('id', 'data')
    case 'end':
      return isCount('threads', 'messages')
    default:
      return false
  }
}
