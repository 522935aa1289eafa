import {
  parseSearchThreads,
  rankThreads,
  type SearchThreadsOptions,
  type ThreadHit,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import { fromTextColumn, textColumn } from './text-column.ts'
import { THREAD_COLUMNS, toThread } from './threads.ts'
import { bestMessages } from './word-search.ts'

export async function searchThreads(database: Database, options: SearchThreadsOptions): Promise<ThreadHit[]> {
  const { read, tables } = database
  const search = parseSearchThreads(options)
  const { owner, terms = [], metadata } = search
  const best = terms.length > 0 ? await bestMessages(database, { owner, terms }) : []
  const rows = await read(
    `SELECT ${textColumn('id', { name: 'id' })}, ${textColumn('title', { name: 'title' })}, changed,
       CASE WHEN $2 THEN metadata ELSE '{}' END AS metadata FROM ${tables.threads} WHERE owner = $1`,
    [owner, metadata.length > 0],
  )
  const threads = rows.map((row) => ({
    id: fromTextColumn(row.id),
    title: row.title === null ? null : fromTextColumn(row.title),
    metadata: String(row.metadata),
    changed: Number(row.changed),
  }))
  const ranked = rankThreads(threads, search, best)
  if (ranked.length === 0) return []
  const found = await read(
    `SELECT ${THREAD_COLUMNS} FROM ${tables.threads}
     WHERE owner = $1 AND id IN (SELECT json_array_elements_text($2::json))`,
    [owner, JSON.stringify(ranked.map(({ threadId }) => threadId))],
  )
  const byId = new Map(found.map((row) => [fromTextColumn(row.id), toThread(row, owner)]))
  return ranked.flatMap(({ threadId, ...hit }) => {
    const thread = byId.get(threadId)
    // Missing if the thread was deleted in the meantime.
    return thread ? [{ thread, ...hit }] : []
  })
}
