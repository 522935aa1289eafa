import type { Client } from '@libsql/client'
import { type OptionNames, requireOptions } from '@millrace/core'
import { STORE_LIMITS, type StoreLimits } from '@millrace/core/storage'
import { SQLiteDialectStore } from '@millrace/sqlite-dialect'
import { LibSQLConnection } from './libsql-connection.ts'
import { isMemory, openClient, type Synchronous, settingsOf } from './open-client.ts'

export interface LibSQLStoreOptions extends StoreLimits {
  /**
   * `file:…`, which is created if it does not exist, readable only by its owner (mode 0600, like its WAL and
   * index); `:memory:`; or the address of a server: `libsql:`, `https:`, `http:`, `wss:` or `ws:`. Either
   * `url` or `client` is required.
   */
  url?: string | undefined
  /** The authentication token for the server. */
  authToken?: string | undefined
  /** A client of `@libsql/client`, instead of a url. It stays open when the store is closed. */
  client?: Client | undefined
  /**
   * Whether the data of the client outlives the process: `false` for `:memory:` (only with `client`).
   * Default: `true`.
   */
  persistent?: boolean | undefined
  /**
   * What a completed save survives (only with the url of a file). `normal`: a crash of the process. `full`:
   * also a power failure, and each save waits for the disk. Neither can corrupt the file. Default: `normal`.
   */
  synchronous?: Synchronous | undefined
  /** How long to wait for another process that writes, in milliseconds (only with the url of a file). Default: 5,000. */
  busyTimeout?: number | undefined
  /**
   * How long to wait for the response of the server, in milliseconds (only with its url). Default: 30,000.
   */
  requestTimeout?: number | undefined
  /**
   * `auto`: the first call migrates the schema, also if several processes start at the same time. `manual`:
   * only `migrate()` does. Default: `auto`.
   */
  migrate?: 'auto' | 'manual' | undefined
}

const LIB_SQL_STORE_OPTIONS: OptionNames<LibSQLStoreOptions> = {
  ...STORE_LIMITS,
  url: 'optional',
  authToken: 'optional',
  client: 'optional',
  persistent: 'optional',
  synchronous: 'optional',
  busyTimeout: 'optional',
  requestTimeout: 'optional',
  migrate: 'optional',
}

/**
 * A store in libSQL: a file, a server (sqld) or Turso. Each call is one request to the server. After a broken
 * connection it is retried if it cannot take effect twice.
 *
 * @throws MillraceError `CONFIG_INVALID` for conflicting options or an invalid url, `STORAGE_UNAVAILABLE` if
 *   the file cannot be opened
 */
export class LibSQLStore extends SQLiteDialectStore {
  constructor(given: LibSQLStoreOptions) {
    const options = requireOptions('LibSQLStore', given, LIB_SQL_STORE_OPTIONS)
    const store = 'LibSQLStore'
    const client = openClient(options)
    const isOwner = options.client === undefined
    super({
      connection: new LibSQLConnection(client, { store, isOwner, ...settingsOf(client, options) }),
      name: store,
      cosineDistance: 'vector_distance_cos',
      persistent: options.client ? (options.persistent ?? true) : !isMemory(options.url ?? ''),
      migrate: options.migrate ?? 'auto',
      limits: options,
    })
  }
}
