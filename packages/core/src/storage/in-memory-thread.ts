import type { MessageBlob } from './blob-store.ts'
import type { MessageColumns } from './message-arguments.ts'
import { fromColumns } from './message-arguments.ts'
import type { StoredMessage } from './message-store.ts'
import type { ThreadChangeColumns, ThreadColumns } from './thread-arguments.ts'
import type { ThreadColumnsToSearch } from './thread-search.ts'
import type { Thread } from './thread-store.ts'

/** A message of a thread in memory. Replacing the message replaces this object. */
export interface MessageRow extends MessageColumns {
  readonly thread: InMemoryThread
  readonly sequence: number
  /** Position among all messages of the store, in the order of saving. */
  readonly key: number
  vector?: { model: string; values: Float32Array }
  blobs?: ReadonlyMap<string, Uint8Array>
}

/** A thread of {@link InMemoryStore} with its messages. */
export class InMemoryThread {
  readonly key: ThreadColumns
  /** Position among all threads, in the order of creation. */
  readonly created: number
  readonly #createdAt = Date.now()
  readonly #rows: MessageRow[] = []
  readonly #byId = new Map<string, MessageRow>()
  #lastSequence = 0
  #title: string | undefined
  #metadata = '{}'
  #state = '{}'
  #updatedAt = this.#createdAt
  version = 0
  /** Position among all threads, in the order of their last change. */
  changed: number

  constructor(key: ThreadColumns, place: number) {
    this.key = key
    this.created = place
    this.changed = place
  }

  /** The messages in order. */
  get rows(): readonly MessageRow[] {
    return this.#rows
  }

  touch(place: number): void {
    this.changed = place
    this.#updatedAt = Date.now()
  }

  change({ title, metadata, state }: Partial<ThreadChangeColumns> & { state?: string | undefined }): void {
    if (title !== undefined) this.#title = title ?? undefined
    if (metadata !== undefined) this.#metadata = metadata
    if (state !== undefined) this.#state = state
    this.version++
  }

  find(id: string): MessageRow | undefined {
    return this.#byId.get(id)
  }

  /** Index in `rows` of the first message with at least this sequence. A binary search. */
  indexFrom(sequence: number): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#rows[middle]?.sequence ?? 0) < sequence) low = middle + 1
      else high = middle
    }
    return low
  }

  append(columns: MessageColumns, key: number): MessageRow {
    const row: MessageRow = { ...columns, thread: this, sequence: ++this.#lastSequence, key }
    this.#rows.push(row)
    this.#byId.set(row.id, row)
    return row
  }

  replace(old: MessageRow, { role, content, terms }: MessageColumns): MessageRow {
    const { vector, blobs = new Map(), ...rest } = old
    const kept = [...blobs].filter(([id]) => content.includes(id))
    const keepsVector = vector !== undefined && terms === old.terms
    const row: MessageRow = {
      ...rest,
      role,
      content,
      terms,
      ...(keepsVector && { vector }),
      blobs: new Map(kept),
    }
    this.#rows[this.indexFrom(old.sequence)] = row
    this.#byId.set(row.id, row)
    return row
  }

  /** Does nothing if the blob already exists. */
  addBlob({ messageId, id, data }: MessageBlob): void {
    const row = this.#byId.get(messageId)
    if (row && !row.blobs?.has(id)) row.blobs = new Map([...(row.blobs ?? []), [id, data.slice()]])
  }

  /** Linear in the number of messages after the first removed one. */
  remove(rows: readonly MessageRow[]): void {
    const removed = new Set(rows)
    let kept = this.#rows.length
    for (const { sequence } of rows) kept = Math.min(kept, this.indexFrom(sequence))
    for (const row of this.#rows.slice(kept)) if (!removed.has(row)) this.#rows[kept++] = row
    this.#rows.length = kept
    for (const { id } of rows) this.#byId.delete(id)
  }

  toSearch(): ThreadColumnsToSearch {
    return { id: this.key.threadId, title: this.#title, metadata: this.#metadata, changed: this.changed }
  }

  toThread(): Thread {
    const { owner, threadId } = this.key
    return {
      id: threadId,
      ...(owner !== '' && { resourceId: owner }),
      ...(this.#title !== undefined && { title: this.#title }),
      metadata: JSON.parse(this.#metadata),
      state: JSON.parse(this.#state),
      version: this.version,
      messageCount: this.#rows.length,
      createdAt: new Date(this.#createdAt),
      updatedAt: new Date(this.#updatedAt),
    }
  }
}

export function toStoredMessage(row: MessageRow): StoredMessage {
  return { message: fromColumns(row, row.thread.key), sequence: row.sequence }
}
