import type { Client } from '@libsql/client'
import type { StoreLimits } from '@millrace/core/storage'
import { SQLiteDialectStore } from '@millrace/sqlite-dialect'
import { LibSQLConnection } from './libsql-connection.ts'
import { isMemory, openClient, type Synchronous, settingsOf } from './open-client.ts'

export interface LibSQLStoreOptions extends StoreLimits {
  /**
   * `file:…`, created if it is not there, for its owner alone (mode 0600, its log and index too); `:memory:`; or where a server
   * is: `libsql:`, `https:`, `http:`, `wss:` or `ws:`. It or `client` is required.
   */
  url?: string | undefined
  /** The token for the server. */
  authToken?: string | undefined
  /** A client of `@libsql/client`, instead of a url. It stays open when the store is closed. */
  client?: Client | undefined
  /** Whether what the client stores lasts: `false` for one of `:memory:` (only with `client`). Default: `true`. */
  persistent?: boolean | undefined
  /**
   * When a save has returned, what it survives (only with the url of a file). `normal`: the end of the process. `full`: a
   * power cut too, and each save waits for the disk. Neither ever damages the file. Default: `normal`.
   */
  synchronous?: Synchronous | undefined
  /** How long to wait for another process that writes, in milliseconds (only with the url of a file). Default: 5,000. */
  busyTimeout?: number | undefined
  /** How long to wait for the server's answer, in milliseconds (only with its url). Default: 30,000. */
  requestTimeout?: number | undefined
  /**
   * `auto`: the first call brings the schema to what is needed, also where several processes begin at once. `manual`: only
   * `migrate()` does. Default: `auto`.
   */
  migrate?: 'auto' | 'manual' | undefined
}

/**
 * A store in libSQL: a file, a server (sqld) or Turso. What a request to a server does it does in one, and it is sent
 * again after a broken connection where that cannot do it twice.
 *
 * @throws MillraceError `CONFIG_INVALID` for options that contradict each other or a url that is none,
 *   `STORAGE_UNAVAILABLE` if the file cannot be opened
 */
export class LibSQLStore extends SQLiteDialectStore {
  constructor(options: LibSQLStoreOptions) {
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
