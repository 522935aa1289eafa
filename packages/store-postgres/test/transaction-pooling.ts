import type { PostgresClient, PostgresPool, QueryResult } from '@millrace/store-postgres'
import pg from 'pg'

/**
 * A pool as a pooler of transactions gives it: every statement and every transaction runs in another session than the one
 * before, which knows nothing of what others have set up.
 */
export class TransactionPooling implements PostgresPool {
  readonly #sessions: pg.Pool[]
  #turn = 0

  constructor(connectionString: string, { sessions }: { sessions: number }) {
    this.#sessions = Array.from({ length: sessions }, () => new pg.Pool({ connectionString, max: 1 }))
    // Of connections that the server ends while nobody uses them.
    for (const session of this.#sessions) session.on('error', () => {})
  }

  query(text: string, values: unknown[]): Promise<QueryResult> {
    return this.#next().query(text, values)
  }

  connect(): Promise<PostgresClient> {
    return this.#next().connect()
  }

  async end(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.end()))
  }

  #next(): pg.Pool {
    const session = this.#sessions[this.#turn++ % this.#sessions.length]
    if (!session) throw new Error('There must be a session.')
    return session
  }
}
