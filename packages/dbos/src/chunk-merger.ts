import { isDeepStrictEqual } from 'node:util'
import type { Chunk } from '@millrace/core'

/** A batch of chunks: one value of the run's DBOS stream. */
export interface ChunkBatch {
  /** Identifies the writer: a process gets a new id each time it opens the run. */
  writer: string
  /** The offset of the first chunk in the stream of the run, as far as the run is recorded. */
  at: number
  /** Chunks below this offset are recorded: no later writer starts before it. */
  kept: number
  chunks: Chunk[]
}

/**
 * Merges the batches of all writers into the chunks of the run, each once and in order. A process that takes
 * over starts at the last recorded step, so it repeats chunks that its predecessor has already written. Equal
 * chunks are skipped. At the first different chunk, the step is retracted with `step-discarded`.
 */
export class ChunkMerger {
  #writer: string | undefined
  /** The chunks that readers have, from the offset `#base` on. */
  #emitted: Chunk[] = []
  #base = 0
  /** Chunks of earlier writers that this one has not repeated yet. */
  #unrepeated: Chunk[] = []
  /** The offset at which this writer started. */
  #start = 0

  /** Returns the chunks that readers do not have yet. */
  accept({ writer, at, kept, chunks }: ChunkBatch): Chunk[] {
    const newChunks: Chunk[] = []
    if (writer !== this.#writer) {
      this.#writer = writer
      this.#start = at
      const start = Math.max(at - this.#base, 0)
      this.#unrepeated = [...this.#emitted.splice(start), ...this.#unrepeated].filter(
        (chunk) => !isPreliminary(chunk),
      )
    }
    for (const chunk of chunks) this.#take(chunk, newChunks)
    this.#trim(kept)
    return newChunks
  }

  #take(chunk: Chunk, newChunks: Chunk[]): void {
    if (this.#unrepeated.length > 0 && !isPreliminary(chunk)) {
      if (isDeepStrictEqual(this.#unrepeated[0], chunk)) {
        this.#unrepeated.shift()
        this.#emitted.push(chunk)
        return
      }
      this.#discardSteps(newChunks)
    }
    this.#emitted.push(chunk)
    newChunks.push(chunk)
  }

  /** Discards steps, because this writer emits something else than the one before. */
  #discardSteps(newChunks: Chunk[]): void {
    const left = this.#unrepeated
    this.#unrepeated = []
    for (const stepNumber of openSteps(left).reverse())
      newChunks.push({ type: 'step-discarded', stepNumber, retry: true })
    if (left[0]?.type === 'step-start') return
    const from = this.#emitted.findLastIndex(
      (chunk, index) => chunk.type === 'step-start' && index >= this.#start - this.#base,
    )
    const start = this.#emitted[from]
    if (start?.type !== 'step-start') return
    newChunks.push(
      { type: 'step-discarded', stepNumber: start.stepNumber, retry: true },
      ...this.#emitted.slice(from),
    )
  }

  #trim(kept: number): void {
    const count = kept - this.#base
    if (count <= 0) return
    this.#emitted.splice(0, count)
    this.#base = kept
  }
}

/** The steps that start in the chunks and are not discarded in them. */
function openSteps(chunks: readonly Chunk[]): number[] {
  const steps = new Set<number>()
  for (const chunk of chunks) {
    if (chunk.type === 'step-start') steps.add(chunk.stepNumber)
    if (chunk.type === 'step-discarded') steps.delete(chunk.stepNumber)
  }
  return [...steps]
}

/** A preliminary tool result, which the next one replaces. */
function isPreliminary(chunk: Chunk): boolean {
  return chunk.type === 'tool-result' && chunk.preliminary === true
}
