import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Row, SQLiteConnection, Statement } from './connection.ts'
import { checkSchema, migrate } from './migrate.ts'
import { MIGRATIONS } from './schema.ts'

const next = [
  ...MIGRATIONS,
  [
    'ALTER TABLE millrace_threads ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0',
    "UPDATE millrace_threads SET pinned = 1 WHERE id = 'old'",
  ],
]

function connect(database: Database.Database): SQLiteConnection {
  const run = ({ sql, parameters }: Statement): Row[] => {
    const statement = database.prepare<object, Row>(sql)
    if (statement.reader) return statement.all(parameters)
    statement.run(parameters)
    return []
  }
  return {
    read: run,
    write: (statements) => database.transaction(() => statements.map(run)).immediate(),
    purge: () => {},
    close: () => {},
  }
}

async function opened(): Promise<{ database: Database.Database; connection: SQLiteConnection }> {
  const database = new Database(':memory:')
  const connection = connect(database)
  await migrate(connection, { store: 'Store', migrations: MIGRATIONS })
  database.exec(`INSERT INTO millrace_threads (resource, id, changed, created, created_at, updated_at, metadata, state)
    VALUES (1, 'old', 1, 1, 0, 0, '{}', '{}')`)
  return { database, connection }
}

test('a migration keeps the data of the previous version', async () => {
  const { database, connection } = await opened()
  const schema = { store: 'Store', migrations: next }
  await expect(checkSchema(connection, schema)).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_OUTDATED' })
  await Promise.all([migrate(connection, schema), migrate(connection, schema)])
  await checkSchema(connection, schema)
  expect(database.prepare('SELECT id, pinned FROM millrace_threads').all()).toEqual([
    { id: 'old', pinned: 1 },
  ])
  const old = { store: 'Store', migrations: MIGRATIONS }
  await expect(checkSchema(connection, old)).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_NEWER' })
  await expect(migrate(connection, old)).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_NEWER' })
})

test('a failed migration leaves the previous version', async () => {
  const { database, connection } = await opened()
  const broken = [
    ...MIGRATIONS,
    ['ALTER TABLE millrace_threads ADD COLUMN pinned INTEGER', 'SELECT nonsense'],
  ]
  await expect(migrate(connection, { store: 'Store', migrations: broken })).rejects.toThrow('nonsense')
  await checkSchema(connection, { store: 'Store', migrations: MIGRATIONS })
  expect(database.prepare('SELECT * FROM millrace_threads').get()).not.toHaveProperty('pinned')
})
