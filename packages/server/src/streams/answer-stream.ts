import type { UIMessageChunk } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'

export interface AnswerStreamOptions {
  store: StreamStore
  resourceId: string
  threadId: string
  streamId: string
  /** Called when another process asks for the answer to be stopped. */
  onStop: () => void
}

/** How often, at most, is looked for a request to stop that reached another process. */
const STOP_CHECK = 1_000

/** What ends a stream that broke off: its process is gone. */
export const BROKEN_OFF: UIMessageChunk = { type: 'error', errorText: 'The answer broke off.' }

/**
 * An answer that is being made in this process: its chunks, as JSON, for any number of readers, and in the store in
 * batches, for readers of other processes. A batch is written as soon as the one before it is.
 */
export class AnswerStream {
  readonly #options: AnswerStreamOptions
  readonly #chunks: string[] = []
  #stored = 0
  #ended = false
  #writing: Promise<void> | undefined
  #storeFailed = false
  #endIsStored = false
  #nextStopCheck = Date.now() + STOP_CHECK
  /** Wakes readers that have read all there is. */
  #wake: () => void = () => {}
  #more: Promise<void> = this.#nextMore()

  constructor(options: AnswerStreamOptions) {
    this.#options = options
  }

  get ended(): boolean {
    return this.#ended
  }

  /** All chunks are in the store, or can no longer get there. */
  get written(): Promise<void> {
    return this.#writing ?? Promise.resolve()
  }

  push(chunk: UIMessageChunk): void {
    this.#chunks.push(JSON.stringify(chunk))
    this.#changed()
  }

  end(): void {
    this.#ended = true
    this.#changed()
  }

  /** The chunks from the given one on, waiting for those to come. */
  async *read(from = 0): AsyncGenerator<string> {
    for (let index = from; ; index++) {
      while (index >= this.#chunks.length) {
        if (this.#ended) return
        await this.#more
      }
      yield this.#chunks[index] as string
    }
  }

  #changed(): void {
    const wake = this.#wake
    this.#more = this.#nextMore()
    wake()
    this.#writing ??= this.#write()
  }

  #nextMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Writes until all that is there is stored. If the store fails, other processes lose the stream; the answer is still made. */
  async #write(): Promise<void> {
    const { store, resourceId, threadId, streamId } = this.#options
    // What comes in the same turn goes in one batch.
    await Promise.resolve()
    while (
      !this.#storeFailed &&
      (this.#stored < this.#chunks.length || (this.#ended && !this.#endIsStored))
    ) {
      const offset = this.#stored
      const chunks = this.#chunks.slice(offset)
      const end = this.#ended
      try {
        await store.appendToStream({ runId: streamId, resourceId, threadId, offset, chunks, end })
        this.#stored = offset + chunks.length
        this.#endIsStored = end
        if (!end) await this.#lookForStop()
      } catch {
        this.#storeFailed = true
      }
    }
    // At once, so that no chunk finds a writer that has looked for the last time.
    this.#writing = undefined
  }

  async #lookForStop(): Promise<void> {
    if (Date.now() < this.#nextStopCheck) return
    this.#nextStopCheck = Date.now() + STOP_CHECK
    const { store, resourceId, streamId } = this.#options
    if (await store.readStream({ runId: stopKey(streamId), resourceId, limit: 1 })) this.#options.onStop()
  }
}

/** Where a request to stop a stream is kept for the process that makes it. */
export function stopKey(streamId: string): string {
  return `stop:${streamId}`
}
