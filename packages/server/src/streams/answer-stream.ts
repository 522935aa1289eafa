import { MillraceError, type UIMessageChunk } from '@millrace/core'
import type { StreamStore } from '@millrace/core/storage'

/** Where the chunks of an answer are kept for other processes. */
export interface KeptIn {
  store: StreamStore
  resourceId: string
  threadId: string
  streamId: string
}

export interface AnswerStreamOptions {
  /** `undefined`: only this process has readers. */
  kept: KeptIn | undefined
  /** Characters of its chunks. */
  maxLength: number
  /** Milliseconds without a sign of life after which other processes take this one for dead. */
  goneAfter: number
  /** Called when another process asks for the answer to be stopped. */
  onStop: () => void
  /** Called once, if the store fails: other processes lose the stream then; readers of this one do not. */
  onStoreError: (error: unknown) => void
}

/** How often, at most, is looked for a request to stop that reached another process. */
const STOP_CHECK = 1_000

/** How often a process says that it still makes an answer, in the time after which it counts as gone. */
export const SIGNS_OF_LIFE = 4

/** Chunks that say nothing by themselves: readers get them with the next one, in one write. */
const OPENINGS: ReadonlySet<string> = new Set(['start', 'start-step', 'text-start', 'reasoning-start'])

/** How long chunks are kept after the last one, for readers of other processes that are still at it, in milliseconds. */
export const KEPT_AFTER_END = 10 * 60_000

/** What ends a stream that broke off: its process is gone. */
export const BROKEN_OFF: UIMessageChunk = { type: 'error', errorText: 'The answer broke off.' }

/**
 * An answer that is being made in this process: its chunks, as JSON, for any number of readers, and in the store in
 * batches, for readers of other processes. A batch is written as soon as the one before it is.
 */
export class AnswerStream {
  readonly #options: AnswerStreamOptions
  readonly #chunks: string[] = []
  /** For the first reader, in place of the first chunk. */
  #start: string | undefined
  #length = 0
  /** How many chunks readers get. */
  #ready = 0
  #stored = 0
  #ended = false
  #writing: Promise<void> | undefined
  #storeFailed = false
  #endIsStored = false
  #nextStopCheck = Date.now() + STOP_CHECK
  #signs: ReturnType<typeof setInterval> | undefined
  /** Wakes readers that have read all there is. */
  #wake: () => void = () => {}
  #more: Promise<void> = this.#nextMore()

  constructor(options: AnswerStreamOptions) {
    this.#options = options
    const { kept, goneAfter } = options
    if (kept) this.#signs = setInterval(() => this.#showLife(kept), goneAfter / SIGNS_OF_LIFE)
  }

  get ended(): boolean {
    return this.#ended
  }

  /** All chunks are in the store, or can no longer get there. */
  get written(): Promise<void> {
    return this.#writing ?? Promise.resolve()
  }

  /**
   * Takes the first chunk. Where it continues a message that the first reader has, the others get the opening in its place:
   * chunks that count as one.
   *
   * @throws MillraceError `STORAGE_STREAM_TOO_LARGE` beyond `maxLength`
   */
  begin(start: UIMessageChunk, opening: readonly UIMessageChunk[] | undefined): void {
    if (opening) this.#start = JSON.stringify(start)
    this.#checkedAdd(JSON.stringify(opening ?? start))
  }

  /** @throws MillraceError `STORAGE_STREAM_TOO_LARGE` beyond `maxLength` */
  push(chunk: UIMessageChunk): void {
    this.#checkedAdd(JSON.stringify(chunk))
    if (!OPENINGS.has(chunk.type)) this.#changed()
  }

  #checkedAdd(text: string): void {
    const { maxLength } = this.#options
    if (this.#length + text.length > maxLength) {
      throw new MillraceError(
        'STORAGE_STREAM_TOO_LARGE',
        `The chunks of an answer have more than ${maxLength} characters. Raise limits.maxAnswerLength, or ask for less at a time.`,
      )
    }
    this.#add(text)
  }

  /** Ends the answer with what is said of its end, whatever its length. */
  breakOff(): void {
    this.#add(JSON.stringify(BROKEN_OFF))
    this.#changed()
  }

  end(): void {
    this.#ended = true
    clearInterval(this.#signs)
    this.#changed()
  }

  /** All chunks, for the reader that has asked for the answer. */
  readFirst(): AsyncGenerator<readonly string[]> {
    return this.#read(0, true)
  }

  /** The chunks from the given one on, waiting for those to come: each time, those that are there. */
  read(from = 0): AsyncGenerator<readonly string[]> {
    return this.#read(from, false)
  }

  async *#read(from: number, isFirst: boolean): AsyncGenerator<readonly string[]> {
    for (let index = from; ; ) {
      while (index >= this.#ready) {
        if (this.#ended) return
        await this.#more
      }
      const chunks = this.#chunks.slice(index, this.#ready)
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

  #changed(): void {
    this.#ready = this.#chunks.length
    const wake = this.#wake
    this.#more = this.#nextMore()
    wake()
    const { kept } = this.#options
    if (kept) this.#writing ??= this.#write(kept)
  }

  #nextMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Writes until all that is there is stored. If the store fails, other processes lose the stream; the answer is still made. */
  async #write({ store, resourceId, threadId, streamId }: KeptIn): Promise<void> {
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
        await store.appendToStream({
          runId: streamId,
          resourceId,
          threadId,
          offset,
          chunks,
          end,
          ...(end && { expiresIn: KEPT_AFTER_END }),
        })
        this.#stored = offset + chunks.length
        this.#endIsStored = end
        if (!end && (await this.#isStopped({ store, resourceId, streamId }))) this.#options.onStop()
      } catch (error) {
        this.#storeFailed = true
        this.#options.onStoreError(error)
      }
    }
    // At once, so that no chunk finds a writer that has looked for the last time.
    this.#writing = undefined
  }

  /** For readers of other processes, also while the model says nothing. */
  #showLife({ store, resourceId, threadId, streamId }: KeptIn): void {
    const sign = {
      runId: signKey(streamId),
      resourceId,
      threadId,
      offset: 0,
      chunks: [],
      expiresIn: this.#options.goneAfter,
    }
    // A store that fails is noticed with the next chunk.
    store.appendToStream(sign).catch(() => {})
  }

  async #isStopped({ store, resourceId, streamId }: Omit<KeptIn, 'threadId'>): Promise<boolean> {
    if (Date.now() < this.#nextStopCheck) return false
    this.#nextStopCheck = Date.now() + STOP_CHECK
    return (await store.readStream({ runId: stopKey(streamId), resourceId, limit: 1 })) !== undefined
  }
}

/** The chunks as events. The first may stand for several: those of an opening. */
export function eventsOf(chunks: readonly string[]): readonly string[] {
  const [first] = chunks
  if (!first?.startsWith('[')) return chunks
  const opening = JSON.parse(first) as unknown[]
  return [...opening.map((chunk) => JSON.stringify(chunk)), ...chunks.slice(1)]
}

/** Where a process shows that it still makes the answer of a stream. */
export function signKey(streamId: string): string {
  return `sign:${streamId}`
}

/** Where a request to stop a stream is kept for the process that makes it. */
export function stopKey(streamId: string): string {
  return `stop:${streamId}`
}
