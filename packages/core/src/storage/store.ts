import type { BlobStore } from './blob-store.ts'
import type { CounterStore } from './counter-store.ts'
import type { MessageLimits, MessageStore } from './message-store.ts'
import type { ResourceStore } from './resource-store.ts'
import type { RunLimits, RunStore } from './run-store.ts'
import type { SearchStore } from './search-store.ts'
import type { StreamLimits, StreamStore } from './stream-store.ts'
import type { ThreadStore } from './thread-store.ts'

/**
 * Stores the data of a memory, suspended and surviving runs and their streams, counters and caches. An adapter
 * implements all of it; `testStorage` of `@millrace/testing` is its conformance test.
 *
 * Everything belongs to a resource (a user, a tenant), or to none. The resource is part of every key: the same thread
 * id under two resources is two threads, and no call can access data of another resource, or of none. An id has 1 to
 * 512 bytes of UTF-8 without U+0000; any other id is refused with `STORAGE_INPUT_INVALID`.
 *
 * Each method is one transaction: it takes effect completely or not at all, also if the process dies. The order is
 * that of saving, not that of clocks. Arguments and results are copies: editing them does not change the store.
 */
export interface Store
  extends ThreadStore,
    MessageStore,
    BlobStore,
    ResourceStore,
    SearchStore,
    CounterStore,
    RunStore,
    StreamStore {
  /** The version of this contract that the adapter implements. */
  readonly specVersion: 'v1'
  readonly capabilities: StoreCapabilities
  /**
   * Migrates the schema to the version that this adapter needs. Does nothing if it is current. Safe to call from
   * several processes at once. If the schema is older or missing and was not migrated, every call fails with
   * `STORAGE_SCHEMA_OUTDATED`, unless the adapter migrates automatically.
   *
   * @throws MillraceError `STORAGE_SCHEMA_NEWER` if a newer version of the adapter has created the schema
   */
  migrate(): Promise<void>
  /** Waits for pending calls, and closes what the adapter has opened itself. Later calls fail with `STORAGE_CLOSED`. */
  close(): Promise<void>
}

/** What an adapter supports. Other methods fail with `STORAGE_UNSUPPORTED`. */
export interface StoreCapabilities {
  /** `searchMessages`: full-text search. */
  readonly search: boolean
  /** `saveVectors`, `searchVectors` and `listMessagesWithoutVector`: vector search. */
  readonly vectors: boolean
  /** `getBlobs`, and the blobs of `saveMessages`. */
  readonly blobs: boolean
  /** Whether data still exists when the store is opened again. */
  readonly persistent: boolean
}

/** Limits of an adapter. The same options in every store. */
export interface StoreLimits extends RunLimits, MessageLimits, StreamLimits {}
