import {
  conflict,
  parseResourceKey,
  parseSaveResource,
  type Resource,
  type SaveResourceOptions,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import type { Row } from './postgres-pool.ts'
import { deleteRuns } from './runs.ts'
import { deleteStreams } from './streams.ts'
import { deleteMessagesOf } from './threads.ts'

export async function getResource(
  { read, tables }: Database,
  key: { resourceId: string },
): Promise<Resource | undefined> {
  const { resourceId } = parseResourceKey(key)
  const [row] = await read(`SELECT * FROM ${tables.resources} WHERE id = $1`, [resourceId])
  return row && toResource(row, resourceId)
}

export async function saveResource(
  { write, read, tables }: Database,
  options: SaveResourceOptions,
): Promise<Resource> {
  const { resourceId, metadata, state, ifVersion } = parseSaveResource(options)
  const changes = `
      metadata = coalesce($2, resource.metadata),
      state = coalesce($3, resource.state),
      version = resource.version + 1,
      updated_at = $4`
  // As in `saveThread`: version 0 means that the resource does not exist.
  const statement =
    ifVersion === undefined || ifVersion === 0
      ? `INSERT INTO ${tables.resources} AS resource (id, metadata, state, version, created_at, updated_at)
         VALUES ($1, coalesce($2, '{}'), coalesce($3, '{}'), 1, $4, $4)
         ON CONFLICT (id) DO UPDATE SET ${changes} WHERE $5::bigint IS NULL`
      : `UPDATE ${tables.resources} AS resource SET ${changes} WHERE id = $1 AND version = $5::bigint`
  const [row] = await write(`${statement} RETURNING *`, [
    resourceId,
    metadata ?? null,
    state ?? null,
    Date.now(),
    ifVersion ?? null,
  ])
  if (row) return toResource(row, resourceId)
  const [other] = await read(`SELECT version FROM ${tables.resources} WHERE id = $1`, [resourceId])
  throw conflict('resource', { expected: ifVersion ?? 0, found: Number(other?.version ?? 0) })
}

export async function deleteResource(
  { transaction, tables }: Database,
  key: { resourceId: string },
): Promise<void> {
  const { resourceId } = parseResourceKey(key)
  await transaction(async (sql) => {
    const threads = await sql(
      `WITH
         models AS (DELETE FROM ${tables.models} WHERE owner = $1),
         counters AS (DELETE FROM ${tables.counters} WHERE owner = $1),
         keys AS (DELETE FROM ${tables.keys} WHERE owner = $1),
         resources AS (DELETE FROM ${tables.resources} WHERE id = $1)
       DELETE FROM ${tables.threads} WHERE owner = $1 RETURNING key`,
      [resourceId],
    )
    await deleteRuns(sql, { tables, owner: resourceId })
    await deleteStreams(sql, { tables, owner: resourceId })
    await deleteMessagesOf(sql, { tables, threads })
  })
}

function toResource(row: Row, id: string): Resource {
  return {
    id,
    metadata: JSON.parse(String(row.metadata)),
    state: JSON.parse(String(row.state)),
    version: Number(row.version),
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
  }
}
