import type { BlobStore } from './blob-store.ts'
import type { CounterStore } from './counter-store.ts'
import type { MessageLimits, MessageStore } from './message-store.ts'
import type { ResourceStore } from './resource-store.ts'
import type { RunLimits, RunStore } from './run-store.ts'
import type { SearchStore } from './search-store.ts'
import type { StreamLimits, StreamStore } from './stream-store.ts'
import type { ThreadStore } from './thread-store.ts'

/**
 * What a memory, runs that wait or survive, their streams, limits and caches are kept in. An adapter implements all of it; `testStorage` of
 * `@millrace/testing` says whether it does.
 *
 * Everything belongs to a resource (a user, a tenant), or to none. The resource is part of every key: the same thread
 * id under two resources is two threads, and no call reaches what another resource, or none, owns. An id is 1 to 512
 * bytes of UTF-8 without U+0000; any other is refused with `STORAGE_INPUT_INVALID`.
 *
 * Each method is one transaction: it happens wholly or not at all, also when the process dies. Order is that of saving,
 * never that of clocks. What is given and returned is copied: edits outside change nothing inside.
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
  /** The version of this contract the adapter was written for. */
  readonly specVersion: 'v1'
  readonly capabilities: StoreCapabilities
  /**
   * Brings the schema to what this version of the adapter needs; does nothing where it is so already. Safe to call from
   * several processes at once. Without it, a schema that is older or missing makes every call fail with
   * `STORAGE_SCHEMA_OUTDATED`, unless the adapter was told to migrate by itself.
   *
   * @throws MillraceError `STORAGE_SCHEMA_NEWER` if a newer version of the adapter has made the schema
   */
  migrate(): Promise<void>
  /** Lets calls in flight end, and gives up what the adapter has opened itself. Later calls fail with `STORAGE_CLOSED`. */
  close(): Promise<void>
}

/** What an adapter can do. Methods of what it cannot fail with `STORAGE_UNSUPPORTED`. */
export interface StoreCapabilities {
  /** `searchMessages`: messages by words. */
  readonly search: boolean
  /** `saveVectors`, `searchVectors` and `listMessagesWithoutVector`: messages by meaning. */
  readonly vectors: boolean
  /** `getBlobs`, and the blobs of `saveMessages`. */
  readonly blobs: boolean
  /** What is stored is there when the store is opened again. */
  readonly persistent: boolean
}

/** What an adapter allows: the same options in every store. */
export interface StoreLimits extends RunLimits, MessageLimits, StreamLimits {}
