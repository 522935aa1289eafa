import { unsupported } from '@millrace/core/storage'
import type { SQLiteConnection } from './connection.ts'

/** Pages that are given back in one transaction. */
const PAGES_PER_STEP = 256

/** @throws MillraceError `STORAGE_UNSUPPORTED` */
export async function shrink(connection: SQLiteConnection, store: string): Promise<void> {
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    const left = await connection.shrink?.(PAGES_PER_STEP)
    if (left === undefined) {
      throw unsupported(
        store,
        'steps to shrink this database by',
        "A file gets them by 'PRAGMA auto_vacuum = INCREMENTAL' and 'VACUUM' while nothing else uses it; a server does it itself.",
      )
    }
    // Others may free pages as fast as they are given back.
    if (left === 0 || left >= before) break
    before = left
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await connection.purge()
}
