import type { Store } from '@millrace/core'

/** How the stores of a test are opened. */
export interface StorageTestOptions {
  /**
   * Opens the database of this name: letters, digits and underscores, new for every test. A store that is `persistent`
   * opens the same data for the same name, also while others have it open; any other is empty every time.
   */
  create: (database: string) => Store | Promise<Store>
  /** Called after each test, when its stores are closed: removes the database. Default: nothing is removed. */
  remove?: ((database: string) => void | Promise<void>) | undefined
}

/** What a rule works with. */
export interface StorageContext {
  /** A store with a database of its own, which is empty. */
  readonly store: Store
  /** Opens the same database once more, and migrates it. */
  reopen(): Promise<Store>
  /** So many stores on another database that is new, as `create` gives them: they may need `migrate()`. */
  openUnmigrated(count: number): Promise<Store[]>
}

/** Runs `use` on a database of its own, and leaves nothing open. */
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
