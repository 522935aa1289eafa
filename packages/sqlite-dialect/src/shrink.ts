import { unsupported } from '@millrace/core/storage'
import type { SQLiteConnection } from './connection.ts'

/** Pages returned to the file system per transaction. */
const PAGES_PER_STEP = 256

/** @throws MillraceError `STORAGE_UNSUPPORTED` */
export async function shrink(connection: SQLiteConnection, store: string): Promise<void> {
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    const left = await connection.shrink?.(PAGES_PER_STEP)
    if (left === undefined) {
      throw unsupported(
        store,
        'incremental auto-vacuum in this database',
        "Turn it on for a file with 'PRAGMA auto_vacuum = INCREMENTAL' and 'VACUUM', while nothing else uses it. A server shrinks its database itself.",
      )
    }
    // Other calls may free pages as fast as they are returned.
    if (left === 0 || left >= before) break
    before = left
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await connection.purge()
}
