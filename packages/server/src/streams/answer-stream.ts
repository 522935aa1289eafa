import { MillraceError, type UIMessageChunk } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'
import { withoutRetracted } from './retracted-chunks.ts'

/** The stored stream of an answer, for readers in other processes. */
export interface StoredStream {
  store: StreamStore
  resourceId: string
  threadId: string
  streamId: string
}

export interface AnswerStreamOptions {
  /** `undefined`: the answer is not stored, so only this process has readers. */
  stored: StoredStream | undefined
  /** Maximum length of all chunks, in characters. */
  maxLength: number
  /** Milliseconds without a heartbeat after which other processes assume that this one has died. */
  goneAfter: number
  /** Called when another process requests to stop the answer. */
  onStop: () => void
  /**
   * Called once, if the store fails: readers in other processes lose the stream, readers in this one keep it.
   */
  onStoreError: (error: unknown) => void
}

/** Minimum milliseconds between two reads of the stop request. */
const STOP_CHECK_INTERVAL = 1_000

/** Heartbeats in the time `goneAfter`. */
export const HEARTBEATS = 4

/** Chunks without content: readers get them together with the next chunk, in one write. */
const EMPTY_CHUNKS: ReadonlySet<string> = new Set(['start', 'start-step', 'text-start', 'reasoning-start'])

/**
 * How long the chunks are stored after the last one, for readers in other processes that are behind. In
 * milliseconds.
 */
export const EXPIRES_AFTER_END = 10 * 60_000

/** Ends a stream whose process has died. */
export const INTERRUPTED: UIMessageChunk = {
  type: 'error',
  errorText: 'The answer was interrupted. Send the message again.',
}

/**
 * An answer in progress in this process. It buffers the chunks as JSON for any number of readers, and appends
 * them in batches to the store for readers in other processes. The next batch is written as soon as the last
 * write has finished.
 */
export class AnswerStream {
  readonly #options: AnswerStreamOptions
  readonly #chunks: string[] = []
  /** The first chunk for the first reader, if the others get the opening instead. */
  #start: string | undefined
  #length = 0
  /** How many chunks readers can read. */
  #ready = 0
  #stored = 0
  #ended = false
  #writing: Promise<void> | undefined
  #storeFailed = false
  #endIsStored = false
  #nextStopCheck = Date.now() + STOP_CHECK_INTERVAL
  #heartbeat: ReturnType<typeof setInterval> | undefined
  /** Wakes readers that wait for more chunks. */
  #wake: () => void = () => {}
  #more: Promise<void> = this.#waitForMore()

  constructor(options: AnswerStreamOptions) {
    this.#options = options
    const { stored, goneAfter } = options
    if (stored) this.#heartbeat = setInterval(() => this.#writeHeartbeat(stored), goneAfter / HEARTBEATS)
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Resolves when all chunks are stored, or the store has failed. */
  get written(): Promise<void> {
    return this.#writing ?? Promise.resolve()
  }

  /**
   * Adds the first chunk. If it continues a message that the first reader already has, other readers get the
   * opening instead: several chunks at one offset.
   *
   * @throws MillraceError `STORAGE_STREAM_TOO_LARGE` beyond `maxLength`
   */
  begin(start: UIMessageChunk, opening: readonly UIMessageChunk[] | undefined): void {
    if (opening) this.#start = JSON.stringify(start)
    this.#addChecked(JSON.stringify(opening ?? start))
  }

  /** @throws MillraceError `STORAGE_STREAM_TOO_LARGE` beyond `maxLength` */
  push(chunk: UIMessageChunk): void {
    this.#addChecked(JSON.stringify(chunk))
    if (!EMPTY_CHUNKS.has(chunk.type)) this.#publish()
  }

  #addChecked(text: string): void {
    const { maxLength } = this.#options
    if (this.#length + text.length > maxLength) {
      throw new MillraceError(
        'STORAGE_STREAM_TOO_LARGE',
        `The chunks of an answer have more than ${maxLength} characters. Raise limits.maxAnswerLength, or ask for less at a time.`,
      )
    }
    this.#add(text)
  }

  /** Adds the final error chunk, regardless of `maxLength`. */
  interrupt(): void {
    this.#add(JSON.stringify(INTERRUPTED))
    this.#publish()
  }

  end(): void {
    this.#ended = true
    clearInterval(this.#heartbeat)
    this.#publish()
  }

  /** All chunks, for the client that started the answer. */
  readFirst(): AsyncGenerator<readonly string[]> {
    return this.#read(0, true)
  }

  /**
   * The chunks from the offset on, in batches of those that are available. Waits for more until the answer
   * ends.
   */
  read(from = 0): AsyncGenerator<readonly string[]> {
    return this.#read(from, false)
  }

  async *#read(from: number, isFirst: boolean): AsyncGenerator<readonly string[]> {
    for (let index = from; ; ) {
      while (index >= this.#ready) {
        if (this.#ended) return
        await this.#more
      }
      const chunks = [...withoutRetracted(this.#chunks.slice(index, this.#ready))]
      if (index === 0 && isFirst && this.#start !== undefined) chunks[0] = this.#start
      const events = index === 0 ? eventsOf(chunks) : chunks
      index = this.#ready
      yield events
    }
  }

  #add(text: string): void {
    this.#chunks.push(text)
    this.#length += text.length
  }

  #publish(): void {
    this.#ready = this.#chunks.length
    const wake = this.#wake
    this.#more = this.#waitForMore()
    wake()
    const { stored } = this.#options
    if (stored) this.#writing ??= this.#write(stored)
  }

  #waitForMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /**
   * Appends until all chunks are stored. If the store fails, other processes lose the stream; the answer is
   * still generated.
   */
  async #write({ store, resourceId, threadId, streamId }: StoredStream): Promise<void> {
    // Collects the chunks of the same tick into one batch.
    await Promise.resolve()
    while (
      !this.#storeFailed &&
      (this.#stored < this.#chunks.length || (this.#ended && !this.#endIsStored))
    ) {
      const offset = this.#stored
      const chunks = this.#chunks.slice(offset)
      const end = this.#ended
      try {
        await store.appendToStream({
          runId: streamId,
          resourceId,
          threadId,
          offset,
          chunks,
          end,
          ...(end && { expiresIn: EXPIRES_AFTER_END }),
        })
        this.#stored = offset + chunks.length
        this.#endIsStored = end
        if (!end && (await this.#isStopped({ store, resourceId, streamId }))) this.#options.onStop()
      } catch (error) {
        this.#storeFailed = true
        this.#options.onStoreError(error)
      }
    }
    // Synchronously, so that a chunk that arrives now starts a new writer.
    this.#writing = undefined
  }

  /** Writes a heartbeat for readers in other processes, also while the model is silent. */
  #writeHeartbeat({ store, resourceId, threadId, streamId }: StoredStream): void {
    const heartbeat = {
      runId: heartbeatKey(streamId),
      resourceId,
      threadId,
      offset: 0,
      chunks: [],
      expiresIn: this.#options.goneAfter,
    }
    // A store that fails is noticed at the next chunk.
    store.appendToStream(heartbeat).catch(() => {})
  }

  async #isStopped({ store, resourceId, streamId }: Omit<StoredStream, 'threadId'>): Promise<boolean> {
    if (Date.now() < this.#nextStopCheck) return false
    this.#nextStopCheck = Date.now() + STOP_CHECK_INTERVAL
    return (await store.readStream({ runId: stopKey(streamId), resourceId, limit: 1 })) !== undefined
  }
}

/** The chunks as events. The first chunk may be a list: the chunks of an opening. */
export function eventsOf(chunks: readonly string[]): readonly string[] {
  const [first] = chunks
  if (!first?.startsWith('[')) return chunks
  const opening = JSON.parse(first) as unknown[]
  return [...opening.map((chunk) => JSON.stringify(chunk)), ...chunks.slice(1)]
}

/** The key of the heartbeats of a stream. */
export function heartbeatKey(streamId: string): string {
  return `sign:${streamId}`
}

/** The key of the request to stop a stream. */
export function stopKey(streamId: string): string {
  return `stop:${streamId}`
}
