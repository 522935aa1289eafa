import type { Resource } from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'

const RESOURCE_COLUMNS = 'id, metadata, state, version, created_at AS createdAt, updated_at AS updatedAt'

interface ResourceRow {
  id: string
  metadata: string
  state: string
  version: number
  createdAt: number
  updatedAt: number
}

export function toResource(row: Row): Resource {
  const { id, metadata, state, version, createdAt, updatedAt } = row as unknown as ResourceRow
  return {
    id,
    metadata: JSON.parse(metadata),
    state: JSON.parse(state),
    version,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}

export function getResource(resourceId: string): Statement {
  return { sql: GET_RESOURCE, parameters: { owner: resourceId } }
}

// A resource that only has threads has a row with version 0.
const GET_RESOURCE = `SELECT ${RESOURCE_COLUMNS} FROM millrace_resources WHERE id = :owner AND version > 0`

/** Returns no row if the resource does not have the version `ifVersion`. */
export function saveResource(options: {
  resourceId: string
  metadata: string | undefined
  state: string | undefined
  ifVersion: number | undefined
}): Statement {
  const { resourceId, metadata, state, ifVersion } = options
  return {
    sql: SAVE_RESOURCE,
    parameters: {
      owner: resourceId,
      metadata: metadata ?? null,
      state: state ?? null,
      ifVersion: ifVersion ?? null,
      now: Date.now(),
    },
  }
}

const SAVE_RESOURCE = `INSERT INTO millrace_resources (id, version, metadata, state, created_at, updated_at)
  SELECT :owner, 1, coalesce(:metadata, '{}'), coalesce(:state, '{}'), :now, :now
  WHERE :ifVersion IS NULL OR :ifVersion =
    coalesce((SELECT version FROM millrace_resources WHERE id = :owner), 0)
  ON CONFLICT (id) DO UPDATE SET
    metadata = coalesce(:metadata, metadata),
    state = coalesce(:state, state),
    created_at = CASE version WHEN 0 THEN :now ELSE created_at END,
    version = version + 1,
    updated_at = :now
  RETURNING ${RESOURCE_COLUMNS}`

/** Hides a resource with all its data. The last statement returns its key, if it existed. */
export function hideResource(resourceId: string): Statement[] {
  const parameters = { owner: resourceId }
  return HIDE_RESOURCE.map((sql) => ({ sql, parameters }))
}

// No valid id contains U+0000.
const HIDE_RESOURCE = [
  'DELETE FROM millrace_runs WHERE resource = :owner',
  'DELETE FROM millrace_streams WHERE resource = :owner',
  'DELETE FROM millrace_counters WHERE resource = :owner',
  'DELETE FROM millrace_keys WHERE resource = :owner',
  `UPDATE millrace_resources SET id = char(0) || key, version = 0, metadata = '{}', state = '{}'
    WHERE id = :owner RETURNING key`,
]
