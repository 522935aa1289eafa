import type { MillraceError } from '@millrace/core'
import { busy, failed, full, unavailable } from '@millrace/core/storage'

/**
 * Maps an SQLite error by its result code (https://sqlite.org/rescode.html), extended or not. The message of
 * the database is only in `cause`, because it can contain the data of the statement.
 */
export function storageError(
  store: string,
  { code, error }: { code: string; error: unknown },
): MillraceError {
  const primary = /^SQLITE_[A-Z]+/.exec(code)?.[0]
  switch (primary) {
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return busy(store, 'another connection holds a lock on the database', error)
    case 'SQLITE_FULL':
      return full(store, 'the disk is full, or the database has reached its maximum size', error)
    case 'SQLITE_READONLY':
      return failed(store, 'the database is read-only', error)
    case 'SQLITE_CANTOPEN':
      return unavailable(store, 'the database cannot be opened; nothing was done', error)
    case 'SQLITE_IOERR':
      return unavailable(store, `the disk failed (${code}); nothing was done`, error)
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return failed(store, `the file is damaged, or not an SQLite database (${code})`, error)
    default:
      return failed(store, `the database rejected the statement (${code})`, error)
  }
}
