import { MillraceError } from '@millrace/core'

/** What of a `pg.Pool` is used. Anything that answers the same will do. */
export interface PostgresPool {
  query(text: string, values: unknown[]): Promise<QueryResult>
  connect(): Promise<PostgresClient>
  /** `error`: of an idle connection; without a listener it ends the process. `acquire`: a connection is handed out. */
  on?: {
    (event: 'error', listener: (error: Error) => void): unknown
    (event: 'acquire', listener: (client: PostgresClient) => void): unknown
  }
  listenerCount?(event: 'error'): number
}

/** One connection of a {@link PostgresPool}. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<QueryResult>
  /** Gives the connection back; with an error, it is not used again. */
  release(error?: Error | boolean): void
  on?(event: 'error', listener: (error: Error) => void): unknown
}

/** What of a `PGlite` is used: Postgres in this process, with one connection. */
export interface PostgresInProcess {
  query(text: string, values: unknown[]): Promise<QueryResult>
  transaction<RESULT>(
    work: (transaction: { query(text: string, values: unknown[]): Promise<QueryResult> }) => Promise<RESULT>,
  ): Promise<RESULT>
}

export interface QueryResult {
  rows: unknown[]
}

/** A row as the driver reads it: numbers of 64 bits may be strings or bigints. */
export type Row = Record<string, unknown>

/** Runs one statement. Values are texts, numbers, booleans and null, which every driver sends alike; lists go as JSON. */
export type Sql = (text: string, values?: readonly SqlValue[]) => Promise<Row[]>

export type SqlValue = string | number | boolean | null

/** Where statements and transactions run. */
export interface Connections {
  /** Runs one statement, which is a transaction of its own. */
  query: Sql
  /** Runs statements on one connection, in one transaction: committed if `work` resolves, rolled back if it rejects. */
  transaction<RESULT>(work: (sql: Sql) => Promise<RESULT>): Promise<RESULT>
}

/** @throws MillraceError `CONFIG_INVALID` */
export function connectionsOf(pool: PostgresPool | PostgresInProcess): Connections {
  if (isFunction(pool, 'connect')) return pooled(pool as PostgresPool)
  if (isFunction(pool, 'transaction')) return inProcess(pool as PostgresInProcess)
  throw new MillraceError('CONFIG_INVALID', 'pool must be a Pool of node-postgres, or a PGlite.')
}

function isFunction(pool: unknown, name: string): boolean {
  return typeof (pool as Record<string, unknown> | null | undefined)?.[name] === 'function'
}

function pooled(pool: PostgresPool): Connections {
  outliveConnections(pool)
  return {
    query: async (text, values = []) => rowsOf(await pool.query(text, [...values])),
    async transaction(work) {
      const client = await pool.connect()
      let fault: unknown
      try {
        // What is read under a lock must be newer than the lock: see lockThread.
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
        await giveBack(client, fault)
      }
    },
  }
}

/**
 * Lets connections die when nobody waits for them: idle, between two statements, or while they are handed out, when what
 * was sent with their last answer is read before the one who asked for them can listen. The next statement fails, and
 * that is enough; an error that nobody hears would end the process.
 */
export function outliveConnections(pool: Pick<PostgresPool, 'on' | 'listenerCount'>): void {
  if (outlived.has(pool)) return
  outlived.add(pool)
  if (!pool.listenerCount?.('error')) pool.on?.('error', ignore)
  pool.on?.('acquire', (client) => {
    if (outlived.has(client)) return
    outlived.add(client)
    client.on?.('error', ignore)
  })
}

/** Pools and connections that are listened to. */
const outlived = new WeakSet<object>()

/** Ends the transaction, if there is one still, before another call gets the connection. */
async function giveBack(client: PostgresClient, fault: unknown): Promise<void> {
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

/** The connection failed at the last moment: the transaction may have been committed. */
export class CommitFailed extends Error {
  constructor(cause: unknown) {
    super('COMMIT failed', { cause })
  }
}

function rowsOf({ rows }: QueryResult): Row[] {
  return rows as Row[]
}

function ignore(): void {}
