export type {
  PostgresClient,
  PostgresInProcess,
  PostgresPool,
  QueryResult,
} from './postgres-pool.ts'
export { type PostgresConnectionOptions, PostgresStore, type PostgresStoreOptions } from './postgres-store.ts'
export { PostgresVectorStore, type PostgresVectorStoreOptions } from './postgres-vector-store.ts'
