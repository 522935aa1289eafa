export type { BetterSQLite3Database } from './better-sqlite3-connection.ts'
export { SQLiteStore, type SQLiteStoreOptions } from './sqlite-store.ts'
