import type { FilterColumns } from '@millrace/core/storage'
import type { SQLiteValue } from './connection.ts'

/** Whether the filter needs columns of the message: its row is then read before ranking. */
export function isFiltered({ role, createdFrom, createdBefore, metadata }: FilterColumns): boolean {
  return role !== undefined || createdFrom !== undefined || createdBefore !== undefined || metadata.length > 0
}

export function filterParameters(filter: FilterColumns): Record<string, SQLiteValue> {
  const { owner, threadId, role, createdFrom, createdBefore, metadata } = filter
  return {
    owner,
    thread: threadId ?? null,
    role: role ?? null,
    createdFrom: createdFrom ?? null,
    createdBefore: createdBefore ?? null,
    metadata: metadata.length === 0 ? null : JSON.stringify(Object.fromEntries(metadata)),
  }
}

/**
 * A condition on a message `m`. Metadata is compared as JSON on both sides, so `true`, `1` and `"1"` are
 * different values, and a name is never interpreted as a path.
 */
export const FILTER_CONDITION = `(:role IS NULL OR m.role = :role)
  AND (:createdFrom IS NULL OR m.created_at >= :createdFrom)
  AND (:createdBefore IS NULL OR m.created_at < :createdBefore)
  AND (:metadata IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(:metadata) wanted WHERE NOT EXISTS (
      SELECT 1 FROM json_each(m.content, '$.metadata') found
      WHERE found.key = wanted.key AND found.type = wanted.type AND found.atom IS wanted.atom)))`
