import { AsyncLocalStorage } from 'node:async_hooks'
import { DBOS } from '@dbos-inc/dbos-sdk'
import type { Chunk } from '@millrace/core'
import type { ChunkBatch } from './chunk-line.ts'
import { storedChunks } from './stored-chunk.ts'

/** The DBOS stream that holds the chunks of a run. */
export const CHUNKS = 'chunks'

/** A batch as it is stored: its chunks are JSON text, which is stored faster than objects are. */
export type StoredBatch = Omit<ChunkBatch, 'chunks'> & { chunks: string }

/** How long chunks are gathered before they are written together, in milliseconds. */
const GATHER_MS = 25

/** Writes the chunks of a run to its DBOS stream, in batches, while it works in a process. */
export class ChunkWriter {
  readonly #writer: string = crypto.randomUUID()
  #next: number
  #kept: number
  #gathered: Chunk[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()
  #within: (<T>(work: () => T) => T) | undefined

  /** @param position How many chunks the run has emitted, as far as it is recorded. */
  constructor(position: number) {
    this.#next = position
    this.#kept = position
  }

  /** How many chunks the run has emitted. */
  get position(): number {
    return this.#next + this.#gathered.length
  }

  /** To be called within a DBOS step: what is written from now on belongs to it. */
  enterStep(): void {
    this.#within = AsyncLocalStorage.snapshot()
  }

  push(chunk: Chunk): void {
    this.#gathered.push(chunk)
    this.#timer ??= setTimeout(() => this.#write(), GATHER_MS)
  }

  /** Everything that was emitted is in the stream, once the promise resolves. */
  async flush(): Promise<void> {
    this.#write()
    await this.#writing
  }

  /** What has been emitted up to now is recorded. */
  keep(): void {
    this.#kept = this.position
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const chunks = this.#gathered
    if (chunks.length === 0 || !this.#within) return
    this.#gathered = []
    const batch: StoredBatch = {
      writer: this.#writer,
      at: this.#next,
      kept: this.#kept,
      chunks: storedChunks(chunks),
    }
    this.#next += chunks.length
    const within = this.#within
    this.#writing = this.#writing.then(() => within(() => DBOS.writeStream(CHUNKS, batch)))
    // Whoever flushes is told.
    this.#writing.catch(() => {})
  }
}
