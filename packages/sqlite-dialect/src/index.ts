export type { Row, SQLiteConnection, SQLiteValue, Statement, WriteOptions } from './connection.ts'
export { createFile } from './create-file.ts'
export { SQLiteDialectStore, type SQLiteDialectStoreOptions } from './sqlite-dialect-store.ts'
export { storageError } from './storage-error.ts'
