import type { OptionNames, Store } from '@millrace/core'

/** Options of `testStorage`. */
export interface StorageTestOptions {
  /**
   * Opens the database with this name: letters, digits and underscores, new for every test. A `persistent` store opens the
   * same data for the same name, also concurrently; any other store is empty every time.
   */
  create: (database: string) => Store | Promise<Store>
  /** Called after each test, when its stores are closed, to remove the database. Default: nothing is removed. */
  remove?: ((database: string) => void | Promise<void>) | undefined
}

export const STORAGE_TEST_OPTIONS: OptionNames<StorageTestOptions> = {
  create: 'required',
  remove: 'optional',
}

/** The context of a rule. */
export interface StorageContext {
  /** A store on a new database. */
  readonly store: Store
  /** Opens the same database again, and migrates it. */
  reopen(): Promise<Store>
  /** Opens stores on one new database without migrating it. */
  openUnmigrated(count: number): Promise<Store[]>
}

/** Runs `use` with a new database, and closes all stores afterwards. */
export async function withStorage(
  { create, remove }: StorageTestOptions,
  use: (context: StorageContext) => Promise<void>,
): Promise<void> {
  const databases: string[] = []
  const opened: Store[] = []
  const newDatabase = (): string => {
    const database = `millrace_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
    databases.push(database)
    return database
  }
  const open = async (database: string): Promise<Store> => {
    const store = await create(database)
    opened.push(store)
    return store
  }
  const database = newDatabase()
  const reopen = async (): Promise<Store> => {
    const store = await open(database)
    await store.migrate()
    return store
  }
  const openUnmigrated = (count: number): Promise<Store[]> => {
    const fresh = newDatabase()
    return Promise.all(Array.from({ length: count }, () => open(fresh)))
  }
  try {
    await use({ store: await reopen(), reopen, openUnmigrated })
  } finally {
    await Promise.all(opened.map((store) => store.close()))
    for (const database of databases) await remove?.(database)
  }
}
