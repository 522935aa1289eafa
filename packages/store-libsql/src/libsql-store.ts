import { type Client, createClient } from '@libsql/client'
import { MillraceError } from '@millrace/core'
import type { RunLimits } from '@millrace/core/storage'
import { SQLiteDialectStore } from '@millrace/sqlite-dialect'
import { LibSQLConnection } from './libsql-connection.ts'

export interface LibSQLStoreOptions extends RunLimits {
  url?: string | undefined
  authToken?: string | undefined
  client?: Client | undefined
  migrate?: 'auto' | 'manual' | undefined
}

export class LibSQLStore extends SQLiteDialectStore {
  constructor(options: LibSQLStoreOptions) {
    const name = 'LibSQLStore'
    const { url, authToken, migrate = 'auto' } = options
    if (url === undefined && options.client === undefined) throw new MillraceError('CONFIG_INVALID', '')
    const client =
      options.client ?? createClient({ url: url ?? '', ...(authToken !== undefined && { authToken }) })
    super({
      connection: new LibSQLConnection(client, { name, isOwner: options.client === undefined }),
      name,
      cosineDistance: 'vector_distance_cos',
      persistent: url !== ':memory:',
      migrate,
      limits: options,
    })
  }
}
