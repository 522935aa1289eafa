import { MillraceError } from '@millrace/core'
import { unavailable } from '@millrace/core/storage'
import { createFile, storageError } from '@millrace/sqlite-dialect'
import Database from 'better-sqlite3'
import type { BetterSQLite3Database } from './better-sqlite3-connection.ts'

export type Synchronous = 'normal' | 'full'

/**
 * The size in bytes that the WAL is truncated to after a checkpoint. A long read lets it grow without limit.
 */
const WAL_SIZE_LIMIT = 16 * 1024 * 1024

export interface OpenOptions {
  path?: string | undefined
  database?: BetterSQLite3Database | undefined
  synchronous?: Synchronous | undefined
  busyTimeout?: number | undefined
}

/** @throws MillraceError `CONFIG_INVALID`, or `STORAGE_UNAVAILABLE` if the file cannot be opened */
export function openDatabase({
  path,
  database,
  synchronous = 'normal',
  busyTimeout = 5_000,
}: OpenOptions): BetterSQLite3Database {
  if ((path === undefined) === (database === undefined)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'SQLiteStore needs either path or database. Set exactly one of them.',
    )
  }
  if (synchronous !== 'normal' && synchronous !== 'full') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `synchronous is '${String(synchronous)}'. Use 'normal' or 'full'.`,
    )
  }
  const opened = database ?? open(path ?? '', { synchronous, busyTimeout })
  opened.pragma('secure_delete = ON')
  return opened
}

function open(
  path: string,
  { synchronous, busyTimeout }: { synchronous: Synchronous; busyTimeout: number },
): BetterSQLite3Database {
  let database: Database.Database | undefined
  try {
    // The driver trims the path.
    if (!isTemporary(path)) createFile(path.trim())
    database = new Database(path, { timeout: busyTimeout })
    // Only affects a new file, before anything is written to it.
    database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    database.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT}`)
    database.pragma(`synchronous = ${synchronous}`)
    return database
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('SQLITE_') && code !== 'SQLITE_CANTOPEN') {
      throw storageError('SQLiteStore', { code, error })
    }
    throw unavailable('SQLiteStore', `the file ${path} cannot be opened. Check that its folder exists`, error)
  }
}

/** SQLite deletes a database without a name when it is closed. */
function isTemporary(path: string): boolean {
  const name = path.trim()
  return name === '' || name === ':memory:'
}
