import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@millrace/core/storage'
import { LibSQLStore } from '@millrace/store-libsql'
import { PostgresStore } from '@millrace/store-postgres'
import { SQLiteStore } from '@millrace/store-sqlite'
// The server of the store's tests.
import { startEmbeddedPostgres } from '../../../../packages/store-postgres/test/start-postgres.ts'

export interface ScaleStore {
  store: Store
  remove: () => Promise<void>
}

/** The measured stores, by name. Each function opens a new one. */
export const scaleStores: Readonly<Record<string, () => Promise<ScaleStore>>> = {
  sqlite: () => inFolder((folder) => new SQLiteStore({ path: join(folder, 'scale.db') })),
  libsql: () => inFolder((folder) => new LibSQLStore({ url: `file:${join(folder, 'scale.db')}` })),
  postgres: async () => {
    const server = await startEmbeddedPostgres()
    const store = new PostgresStore({ url: server.url })
    return {
      store,
      remove: async () => {
        await store.close()
        await server.stop()
      },
    }
  },
}

async function inFolder(open: (folder: string) => Store): Promise<ScaleStore> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-scale-'))
  const store = open(folder)
  return {
    store,
    remove: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}
