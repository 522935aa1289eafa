import { type Row, SQLiteDialectStore, type Statement, storageError } from '@millrace/sqlite-dialect'

/**
 * A store on the SQLite database of a Durable Object. It supports all of Millrace's memory except vectors.
 */
export function durableStore(storage: DurableObjectStorage): SQLiteDialectStore {
  const run = ({ sql, parameters }: Statement): Row[] => {
    // Statements have named parameters, but the database of a Durable Object takes positional values, in the
    // order of their first use.
    const names = [...new Set(Array.from(sql.matchAll(/:(\w+)/g), ([, name]) => String(name)))]
    const values = names.map((name) => parameters[name] ?? null)
    return storage.sql.exec(sql, ...values).toArray()
  }
  const guarded = <RESULT>(work: () => RESULT): RESULT => {
    try {
      return work()
    } catch (error) {
      const [code = 'SQLITE_ERROR'] = /SQLITE_\w+/.exec(String(error)) ?? []
      throw storageError('DurableStore', { code, error })
    }
  }
  return new SQLiteDialectStore({
    name: 'DurableStore',
    persistent: true,
    migrate: 'auto',
    cosineDistance: 'cosine_distance',
    limits: {},
    connection: {
      read: (statement) => guarded(() => run(statement)),
      write: (statements) => guarded(() => storage.transactionSync(() => statements.map(run))),
      purge: () => {},
      close: () => {},
    },
  })
}
