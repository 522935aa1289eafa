import { MillraceError } from '@millrace/core'
import type { Pool } from 'pg'
import {
  ignoreConnectionErrors,
  type PostgresClient,
  type PostgresPool,
  type QueryResult,
} from './postgres-pool.ts'

export interface OwnPoolOptions {
  url: string
  maxConnections?: number | undefined
  connectionTimeout?: number | undefined
}

/**
 * A pool of node-postgres. The driver is loaded on first use, so that it is not needed with a pool of your
 * own or PGlite.
 */
export class OwnPool implements PostgresPool {
  readonly #options: OwnPoolOptions
  #pool: Promise<Pool> | undefined

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: OwnPoolOptions) {
    if (typeof options.url !== 'string' || options.url === '') {
      throw new MillraceError(
        'CONFIG_INVALID',
        'url is empty. Use one such as postgresql://user:password@host/database.',
      )
    }
    this.#options = options
  }

  async query(text: string, values: unknown[]): Promise<QueryResult> {
    return (await this.#open()).query(text, values)
  }

  async connect(): Promise<PostgresClient> {
    return (await this.#open()).connect()
  }

  async end(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    await (await pool)?.end()
  }

  #open(): Promise<Pool> {
    this.#pool ??= this.#load()
    return this.#pool
  }

  async #load(): Promise<Pool> {
    const { url, maxConnections = 10, connectionTimeout = 10_000 } = this.#options
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: connectionTimeout,
      // A program can exit even if it does not close the store.
      allowExitOnIdle: true,
    })
    ignoreConnectionErrors(pool)
    return pool
  }
}
