import { MillraceError } from '@millrace/core'
import { unavailable } from '@millrace/core/storage'
import { createFile, storageError } from '@millrace/sqlite-dialect'
import Database from 'better-sqlite3'
import type { BetterSQLite3Database } from './better-sqlite3-connection.ts'

export type Synchronous = 'normal' | 'full'

/** What the log keeps of its size after it has come round, in bytes: a long read makes it grow without bounds. */
const LARGEST_LOG = 16 * 1024 * 1024

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
    throw new MillraceError('CONFIG_INVALID', 'SQLiteStore takes a path or a database: give one of the two.')
  }
  if (synchronous !== 'normal' && synchronous !== 'full') {
    throw new MillraceError('CONFIG_INVALID', "synchronous must be 'normal' or 'full'.")
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
    // The driver takes paths without the spaces around them.
    if (!isTemporary(path)) createFile(path.trim())
    database = new Database(path, { timeout: busyTimeout })
    // Of a new file alone: before anything is written to it.
    database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    database.pragma(`journal_size_limit = ${LARGEST_LOG}`)
    database.pragma(`synchronous = ${synchronous}`)
    return database
  } catch (error) {
    database?.close()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('SQLITE_') && code !== 'SQLITE_CANTOPEN') {
      throw storageError('SQLiteStore', { code, error })
    }
    throw unavailable('SQLiteStore', `the file ${path} cannot be opened. Make sure its folder exists`, error)
  }
}

/** A database without a name is gone when it is closed. */
function isTemporary(path: string): boolean {
  const name = path.trim()
  return name === '' || name === ':memory:'
}
