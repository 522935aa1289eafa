import { AsyncLocalStorage } from 'node:async_hooks'
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Chunk } from '@millrace/core'
import type { ChunkBatch } from './chunk-merger.ts'
import { storedChunks } from './stored-chunk.ts'

/** The name of the DBOS stream with the chunks of a run. */
export const CHUNKS = 'chunks'

/** A batch as it is stored. The chunks are JSON text, because DBOS stores text faster than objects. */
export type StoredBatch = Omit<ChunkBatch, 'chunks'> & { chunks: string }

/** How long chunks are buffered before they are written, in milliseconds. */
const FLUSH_INTERVAL_MS = 25

/** Writes the chunks of a run to its DBOS stream, in batches. */
export class ChunkWriter {
  readonly #writer: string = crypto.randomUUID()
  #next: number
  #kept: number
  #buffer: Chunk[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()
  #within: (<T>(work: () => T) => T) | undefined

  /** @param position How many chunks the run has emitted, as far as it is recorded */
  constructor(position: number) {
    this.#next = position
    this.#kept = position
  }

  /** How many chunks the run has emitted. */
  get position(): number {
    return this.#next + this.#buffer.length
  }

  /** Call this in each DBOS step: later writes belong to that step. */
  enterStep(): void {
    this.#within = AsyncLocalStorage.snapshot()
  }

  push(chunk: Chunk): void {
    this.#buffer.push(chunk)
    this.#timer ??= setTimeout(() => this.#write(), FLUSH_INTERVAL_MS)
  }

  /** Resolves when all emitted chunks are in the stream. */
  async flush(): Promise<void> {
    this.#write()
    await this.#writing
  }

  /** Marks the chunks emitted so far as recorded. */
  markRecorded(): void {
    this.#kept = this.position
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const chunks = this.#buffer
    if (chunks.length === 0 || !this.#within) return
    this.#buffer = []
    const batch: StoredBatch = {
      writer: this.#writer,
      at: this.#next,
      kept: this.#kept,
      chunks: storedChunks(chunks),
    }
    this.#next += chunks.length
    const within = this.#within
    this.#writing = this.#writing.then(() => within(() => DBOS.writeStream(CHUNKS, batch)))
    // `flush` throws the error.
    this.#writing.catch(() => {})
  }
}
