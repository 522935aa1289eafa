import { MillraceError } from '../errors.ts'
import type { Chunk } from '../results/chunk.ts'

type Read = IteratorResult<Chunk, undefined>

/** Maximum number of unread chunks. The loop then waits for the reader. */
const MAX_UNREAD = 4

/**
 * The buffer between the loop, which writes chunks, and at most one reader, which pulls them. The loop waits while
 * the buffer is full (backpressure). Before there is a reader, the loop waits too, unless only the result was
 * requested ({@link runAhead}).
 */
export class Outlet {
  #chunks: Chunk[] = []
  #next = 0
  #ended = false
  #concluded = false
  #hasReader = false
  #runsAhead = false
  #reader: ((result: Read) => void) | undefined
  #opened: Promise<unknown> = Promise.resolve()
  #waiting: { promise: Promise<void>; resolve: () => void } | undefined
  readonly #discards: boolean
  readonly #onLeave: () => void

  /**
   * @param options.discards There will be no reader: chunks are not kept.
   * @param options.onLeave Called when the reader stops before the end.
   */
  constructor(options: { discards: boolean; onLeave: () => void }) {
    this.#discards = options.discards
    this.#onLeave = options.onLeave
  }

  /** The last chunk (`finish`, `tripwire` or `suspended`) was written. Later chunks are dropped. */
  get concluded(): boolean {
    return this.#concluded
  }

  /** Writes a chunk. Returns a promise only if the writer has to wait for the reader. */
  write(chunk: Chunk): Promise<void> | undefined {
    // Work that is still running, such as a tool next to one that halted, may still write: nothing follows the last
    // chunk.
    if (this.#concluded) return undefined
    this.#concluded = isLast(chunk)
    if (this.#discards || this.#ended) return undefined
    const reader = this.#reader
    if (reader) {
      this.#reader = undefined
      reader({ value: chunk, done: false })
      return undefined
    }
    this.#chunks.push(chunk)
    if (this.#chunks.length - this.#next < MAX_UNREAD || (this.#runsAhead && !this.#hasReader))
      return undefined
    return this.#wait()
  }

  /** Closes the stream. Chunks that were already written can still be read. */
  end(): void {
    this.#ended = true
    this.#release()
    this.#reader?.({ value: undefined, done: true })
    this.#reader = undefined
  }

  /** The result was requested without a reader: writes do not wait until a reader is attached. */
  runAhead(): void {
    this.#runsAhead = true
    if (!this.#hasReader) this.#release()
  }

  /**
   * Attaches the reader. There can be only one.
   *
   * @param start Called when the first chunk is requested
   * @throws MillraceError `RUN_STREAM_CONSUMED` on the second call
   */
  read(start?: () => unknown): AsyncIterableIterator<Chunk, undefined> {
    if (this.#hasReader) {
      throw new MillraceError(
        'RUN_STREAM_CONSUMED',
        'This run already has a reader. Read one of its streams, once, and share the chunks.',
      )
    }
    this.#hasReader = true
    const outlet = this
    let begin = start
    return {
      next() {
        begin?.()
        begin = undefined
        return outlet.#pull()
      },
      return() {
        if (!outlet.#ended && !outlet.#concluded) outlet.#onLeave()
        outlet.#chunks = []
        outlet.#next = 0
        outlet.end()
        return Promise.resolve({ value: undefined, done: true })
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  #pull(): Promise<Read> {
    const chunk = this.#chunks[this.#next]
    if (chunk !== undefined) {
      this.#next++
      if (this.#next === this.#chunks.length) {
        this.#chunks.length = 0
        this.#next = 0
        this.#release()
      }
      return Promise.resolve({ value: chunk, done: false })
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true })
    // Concurrent calls of `next()` queue behind the pending one.
    if (this.#reader) return this.#opened.then(() => this.#pull())
    const opened = new Promise<Read>((resolve) => {
      this.#reader = resolve
    })
    this.#opened = opened
    return opened
  }

  #wait(): Promise<void> {
    if (!this.#waiting) {
      let resolve: () => void = () => {}
      const promise = new Promise<void>((done) => {
        resolve = done
      })
      this.#waiting = { promise, resolve }
    }
    return this.#waiting.promise
  }

  #release(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }
}

function isLast({ type }: Chunk): boolean {
  return type === 'finish' || type === 'tripwire' || type === 'suspended'
}
