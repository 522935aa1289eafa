// Opens the database with this name for the tests. Several processes open the same one.
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TemplateStore } from './template-store.ts'

const pathOf = (database: string) => join(tmpdir(), `${database}.db`)

export const create = (database: string): TemplateStore => new TemplateStore({ path: pathOf(database) })

export function remove(database: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(pathOf(database) + suffix, { force: true })
}
