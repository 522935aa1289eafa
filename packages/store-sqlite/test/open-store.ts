import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQLiteStore } from '@millrace/store-sqlite'

export function create(database: string): SQLiteStore {
  return new SQLiteStore({ path: pathOf(database) })
}

export function remove(database: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(pathOf(database) + end, { force: true })
}

export function pathOf(database: string): string {
  return join(tmpdir(), `${database}.db`)
}
