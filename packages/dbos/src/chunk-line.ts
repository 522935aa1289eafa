import { isDeepStrictEqual } from 'node:util'
import type { Chunk } from '@millrace/core'

/** Chunks of a run as they are written: one value of its DBOS stream. */
export interface ChunkBatch {
  /** The process that wrote it, each time it began to work on the run. */
  writer: string
  /** The position of the first of the chunks among all that the run has emitted, as far as it is recorded. */
  at: number
  /** Up to here chunks are recorded: no later writer begins before it. */
  kept: number
  chunks: Chunk[]
}

/**
 * The chunks of a run, each once and in order, out of what its writers have left. A writer that took over begins where the
 * run was recorded last, so it repeats what the one before it had written since. What it repeats is passed over; where it
 * says something else, what a reader has of that step is taken back with `step-discarded`.
 */
export class ChunkLine {
  #writer: string | undefined
  /** What a reader has, from the position `#base` on. */
  #line: Chunk[] = []
  #base = 0
  /** What the writers before have written and this one has not repeated yet. */
  #left: Chunk[] = []
  /** Where this writer began. */
  #begin = 0

  /** The chunks that are new to the reader. */
  accept({ writer, at, kept, chunks }: ChunkBatch): Chunk[] {
    const news: Chunk[] = []
    if (writer !== this.#writer) {
      this.#writer = writer
      this.#begin = at
      const begins = Math.max(at - this.#base, 0)
      this.#left = [...this.#line.splice(begins), ...this.#left].filter((chunk) => !isProgress(chunk))
    }
    for (const chunk of chunks) this.#take(chunk, news)
    this.#forget(kept)
    return news
  }

  #take(chunk: Chunk, news: Chunk[]): void {
    if (this.#left.length > 0 && !isProgress(chunk)) {
      if (isDeepStrictEqual(this.#left[0], chunk)) {
        this.#left.shift()
        this.#line.push(chunk)
        return
      }
      this.#takeBack(news)
    }
    this.#line.push(chunk)
    news.push(chunk)
  }

  /** This writer says something else than the one before it. */
  #takeBack(news: Chunk[]): void {
    const left = this.#left
    this.#left = []
    for (const stepNumber of openSteps(left).reverse())
      news.push({ type: 'step-discarded', stepNumber, retry: true })
    if (left[0]?.type === 'step-start') return
    const from = this.#line.findLastIndex(
      (chunk, index) => chunk.type === 'step-start' && index >= this.#begin - this.#base,
    )
    const start = this.#line[from]
    if (start?.type !== 'step-start') return
    news.push(
      { type: 'step-discarded', stepNumber: start.stepNumber, retry: true },
      ...this.#line.slice(from),
    )
  }

  #forget(kept: number): void {
    const count = kept - this.#base
    if (count <= 0) return
    this.#line.splice(0, count)
    this.#base = kept
  }
}

/** The steps that begin among the chunks and are not taken back there. */
function openSteps(chunks: readonly Chunk[]): number[] {
  const steps = new Set<number>()
  for (const chunk of chunks) {
    if (chunk.type === 'step-start') steps.add(chunk.stepNumber)
    if (chunk.type === 'step-discarded') steps.delete(chunk.stepNumber)
  }
  return [...steps]
}

/** What a tool has given so far: the next of it, or its result, takes its place. */
function isProgress(chunk: Chunk): boolean {
  return chunk.type === 'tool-result' && chunk.preliminary === true
}
