import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LibSQLStore } from '@millrace/store-libsql'

export function create(database: string): LibSQLStore {
  return new LibSQLStore({ url: `file:${pathOf(database)}` })
}

export function remove(database: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(pathOf(database) + end, { force: true })
}

export function pathOf(database: string): string {
  return join(tmpdir(), `${database}.db`)
}
