import type { FilterColumns } from '@millrace/core/storage'
import { toLabels } from './labels.ts'
import type { SqlValue } from './postgres-pool.ts'
import type { Tables } from './tables.ts'

/**
 * The SQL conditions of a filter on the table `message`, without the owner, and their values, numbered from
 * `$first`.
 */
export function filterConditions(
  { owner, threadId, role, createdFrom, createdBefore, metadata }: FilterColumns,
  { tables, first }: { tables: Tables; first: number },
): { conditions: string; values: SqlValue[] } {
  const values: SqlValue[] = []
  const value = (given: SqlValue): string => `$${first - 1 + values.push(given)}`
  const conditions = ['']
  if (threadId !== undefined) {
    const thread = `owner = ${value(owner)} AND id = ${value(threadId)}`
    conditions.push(`message.thread_key = (SELECT key FROM ${tables.threads} WHERE ${thread})`)
  }
  if (role !== undefined) conditions.push(`message.role = ${value(role)}`)
  if (createdFrom !== undefined) conditions.push(`message.created_at >= ${value(createdFrom)}`)
  if (createdBefore !== undefined) conditions.push(`message.created_at < ${value(createdBefore)}`)
  if (metadata.length > 0) {
    const labels = value(JSON.stringify(toLabels(metadata)))
    conditions.push(`message.labels @> ARRAY(SELECT json_array_elements_text(${labels}::json))`)
  }
  return { conditions: conditions.join(' AND '), values }
}
