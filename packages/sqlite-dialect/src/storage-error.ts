import type { MillraceError } from '@millrace/core'
import { busy, failed, full, unavailable } from '@millrace/core/storage'

/**
 * What a store throws for an error of SQLite: by its result code (https://sqlite.org/rescode.html), extended or not. The
 * message of the database is in `cause` alone: it may hold what was to be stored.
 */
export function storageError(
  store: string,
  { code, error }: { code: string; error: unknown },
): MillraceError {
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0]
  switch (primary) {
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return busy(store, 'another connection has the database locked', error)
    case 'SQLITE_FULL':
      return full(store, 'the disk is full, or the database has the size it may have', error)
    case 'SQLITE_READONLY':
      return failed(store, 'the database may only be read', error)
    case 'SQLITE_CANTOPEN':
      return unavailable(store, 'the database cannot be opened; nothing was done', error)
    case 'SQLITE_IOERR':
      return unavailable(store, `the disk failed (${code}); nothing was done`, error)
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return failed(store, `the file is damaged, or no database of SQLite (${code})`, error)
    default:
      return failed(store, `the database refused what it was told (${code})`, error)
  }
}
