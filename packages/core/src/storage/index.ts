// For authors of stores: the contract, validation of arguments, error messages, and the reference implementation.

export { checkCount, checkId, fromCursor, MAX_ID_BYTES, ownerKey, toCursor, toPage } from './arguments.ts'
export type * from './blob-store.ts'
export { BM25 } from './bm25.ts'
export { type KeyColumns, parseAddToCounter, parseKey, parseSetKey } from './counter-arguments.ts'
export type * from './counter-store.ts'
export { InMemoryRunStore } from './in-memory-run-store.ts'
export { InMemoryStore } from './in-memory-store.ts'
export { InMemoryVectorStore } from './in-memory-vector-store.ts'
export {
  fromColumns,
  inBlobOrder,
  inThreadOrder,
  type MessageColumns,
  parseDeleteMessages,
  parseGetBlobs,
  parseGetMessages,
  parseListMessages,
  parseSaveMessages,
  type SaveMessagesColumns,
} from './message-arguments.ts'
export type * from './message-store.ts'
export type { Owner, Page, PageOptions } from './owner.ts'
export type * from './resource-store.ts'
export { retryWrite } from './retry-write.ts'
export {
  type ClaimRunColumns,
  fromRunCallColumns,
  fromRunColumns,
  type HeldRunColumns,
  type LeaseColumns,
  parseClaimRun,
  parseLeaseOptions,
  parseListRuns,
  parseRunKey,
  parseRunLease,
  parseSaveRun,
  parseUpdateRun,
  RUN_FILTER,
  RUN_MEMORY,
  type RunCallColumns,
  type RunColumns,
  type RunKey,
  toInterruptedRun,
  type UpdateRunColumns,
} from './run-arguments.ts'
export type * from './run-store.ts'
export {
  checkDimensions,
  type FilterColumns,
  parseCopyVectors,
  parseDeleteVectors,
  parseListMessagesWithoutVector,
  parseSaveVectors,
  parseSearchMessages,
  parseSearchVectors,
} from './search-arguments.ts'
export type * from './search-store.ts'
export { indexTerms, indexTermsBeginning, queryTerms, searchableText } from './search-terms.ts'
export type * from './store.ts'
export {
  blobTooLarge,
  busy,
  closed,
  conflict,
  failed,
  full,
  invalidInput,
  leaseLost,
  messageTooLarge,
  runExists,
  runTooLarge,
  schemaNewer,
  schemaOutdated,
  streamMoved,
  streamTooLarge,
  tooManyRuns,
  unavailable,
  unsupported,
} from './store-errors.ts'
export { STORE_LIMITS } from './store-limits.ts'
export {
  type AppendToStreamColumns,
  parseAppendToStream,
  parseReadStream,
  parseStreamKey,
  type StreamKeyColumns,
} from './stream-arguments.ts'
export type * from './stream-store.ts'
export {
  parseListThreads,
  parseResourceKey,
  parseSaveResource,
  parseSaveThread,
  parseThreadChanges,
  parseThreadKey,
  type ThreadChangeColumns,
  type ThreadColumns,
} from './thread-arguments.ts'
export {
  type BestMessage,
  parseSearchThreads,
  type RankedThread,
  rankThreads,
  type ThreadColumnsToSearch,
  type ThreadSearch,
} from './thread-search.ts'
export type * from './thread-store.ts'
export type * from './vector-source.ts'
export type * from './vector-store.ts'
