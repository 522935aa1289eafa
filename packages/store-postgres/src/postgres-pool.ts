import { MillraceError } from '@millrace/core'

/** The part of a `pg.Pool` that is used. Any object with the same methods works. */
export interface PostgresPool {
  query(text: string, values: unknown[]): Promise<QueryResult>
  connect(): Promise<PostgresClient>
  /**
   * `error`: an idle connection failed; without a listener the process exits. `acquire`: a connection was
   * handed out.
   */
  on?: {
    (event: 'error', listener: (error: Error) => void): unknown
    (event: 'acquire', listener: (client: PostgresClient) => void): unknown
  }
  listenerCount?(event: 'error'): number
}

/** One connection of a {@link PostgresPool}. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<QueryResult>
  /** Returns the connection to the pool. With an error, the pool discards it. */
  release(error?: Error | boolean): void
  on?(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of a `PGlite` that is used: Postgres in this process, with one connection. */
export interface PostgresInProcess {
  query(text: string, values: unknown[]): Promise<QueryResult>
  transaction<RESULT>(
    work: (transaction: { query(text: string, values: unknown[]): Promise<QueryResult> }) => Promise<RESULT>,
  ): Promise<RESULT>
}

export interface QueryResult {
  rows: unknown[]
}

/** A row as the driver returns it: 64-bit numbers can be strings or bigints. */
export type Row = Record<string, unknown>

/**
 * Runs one statement. Values are strings, numbers, booleans and null, which all drivers send in the same way.
 * Lists are sent as JSON.
 */
export type Sql = (text: string, values?: readonly SqlValue[]) => Promise<Row[]>

export type SqlValue = string | number | boolean | null

/** Runs statements and transactions. */
export interface Connections {
  /** Runs one statement in its own transaction. */
  query: Sql
  /**
   * Runs statements on one connection, in one transaction. Commits if `work` resolves, rolls back if it
   * rejects.
   */
  transaction<RESULT>(work: (sql: Sql) => Promise<RESULT>): Promise<RESULT>
}

/** @throws MillraceError `CONFIG_INVALID` */
export function connectionsOf(pool: PostgresPool | PostgresInProcess): Connections {
  if (isFunction(pool, 'connect')) return pooled(pool as PostgresPool)
  if (isFunction(pool, 'transaction')) return inProcess(pool as PostgresInProcess)
  throw new MillraceError(
    'CONFIG_INVALID',
    'pool is not a Pool of node-postgres or a PGlite. Pass one of these, or set url.',
  )
}

function isFunction(pool: unknown, name: string): boolean {
  return typeof (pool as Record<string, unknown> | null | undefined)?.[name] === 'function'
}

function pooled(pool: PostgresPool): Connections {
  ignoreConnectionErrors(pool)
  return {
    query: async (text, values = []) => rowsOf(await pool.query(text, [...values])),
    async transaction(work) {
      const client = await pool.connect()
      let fault: unknown
      try {
        // After a lock is acquired, statements must see the newest rows: see `lockThread`.
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
        const result = await work(async (text, values = []) => rowsOf(await client.query(text, [...values])))
        try {
          await client.query('COMMIT')
        } catch (error) {
          throw new CommitFailed(error)
        }
        return result
      } catch (error) {
        fault = error
        throw error
      } finally {
        await releaseConnection(client, fault)
      }
    },
  }
}

/**
 * Ignores errors of connections between two statements, where no call listens: while idle, and right after
 * they were handed out. The next statement on the connection fails anyway, and an unhandled `error` event
 * would end the process.
 */
export function ignoreConnectionErrors(pool: Pick<PostgresPool, 'on' | 'listenerCount'>): void {
  if (handled.has(pool)) return
  handled.add(pool)
  if (!pool.listenerCount?.('error')) pool.on?.('error', ignore)
  pool.on?.('acquire', (client) => {
    if (handled.has(client)) return
    handled.add(client)
    client.on?.('error', ignore)
  })
}

/** Pools and connections that already have listeners. */
const handled = new WeakSet<object>()

/** Rolls back an open transaction before the connection is returned to the pool. */
async function releaseConnection(client: PostgresClient, fault: unknown): Promise<void> {
  let broken: Error | undefined
  if (fault !== undefined) {
    try {
      await client.query('ROLLBACK')
    } catch (error) {
      broken = error as Error
    }
  }
  client.release(broken)
}

function inProcess(database: PostgresInProcess): Connections {
  return {
    query: async (text, values = []) => rowsOf(await database.query(text, [...values])),
    transaction: (work) =>
      database.transaction((transaction) =>
        work(async (text, values = []) => rowsOf(await transaction.query(text, [...values]))),
      ),
  }
}

/** The commit failed with a connection error, so the transaction may have been committed. */
export class CommitFailed extends Error {
  constructor(cause: unknown) {
    super('COMMIT failed', { cause })
  }
}

function rowsOf({ rows }: QueryResult): Row[] {
  return rows as Row[]
}

function ignore(): void {}
