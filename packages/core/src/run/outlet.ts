import { MillraceError } from '../errors.ts'
import type { Chunk } from '../results/chunk.ts'

/** Chunks that wait for a reader before the run is held up. */
const ROOM = 4

/**
 * Where the chunks of a run go: the loop writes at one end, at most one reader pulls at the other, and the loop waits
 * while the reader is behind. Without a reader, the run is either not wanted yet (it waits) or only its result is
 * (nothing waits).
 */
export class Outlet {
  #chunks: Chunk[] = []
  #next = 0
  #ended = false
  #concluded = false
  #hasReader = false
  #runsFree = false
  #reader: ((result: IteratorResult<Chunk, undefined>) => void) | undefined
  #opened: Promise<unknown> = Promise.resolve()
  #waiting: { promise: Promise<void>; resolve: () => void } | undefined
  readonly #discards: boolean
  readonly #onLeave: () => void

  /**
   * @param options.discards There will be no reader: chunks are not kept.
   * @param options.onLeave The reader left before the end.
   */
  constructor(options: { discards: boolean; onLeave: () => void }) {
    this.#discards = options.discards
    this.#onLeave = options.onLeave
  }

  /** The chunk that says how the run ended is out: what comes after does not change it. */
  get concluded(): boolean {
    return this.#concluded
  }

  /** Hands a chunk on. Returns a promise only where the writer has to wait for the reader. */
  write(chunk: Chunk): Promise<void> | undefined {
    // What is still under way, such as a tool beside one that halted, may write on: nothing follows the last chunk.
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
    if (this.#chunks.length - this.#next < ROOM || (this.#runsFree && !this.#hasReader)) return undefined
    return this.#wait()
  }

  /** No more chunks. What was written before can still be read. */
  end(): void {
    this.#ended = true
    this.#release()
    this.#reader?.({ value: undefined, done: true })
    this.#reader = undefined
  }

  /** The result is wanted without a reader: write without waiting until a reader comes. */
  runFree(): void {
    this.#runsFree = true
    if (!this.#hasReader) this.#release()
  }

  /**
   * The one reader.
   *
   * @throws MillraceError `RUN_STREAM_CONSUMED` at the second call.
   */
  read(): AsyncIterableIterator<Chunk, undefined> {
    if (this.#hasReader) {
      throw new MillraceError(
        'RUN_STREAM_CONSUMED',
        'This run already has a reader. Read fullStream, textStream or the UI stream once, and share what you read.',
      )
    }
    this.#hasReader = true
    const outlet = this
    return {
      next: () => outlet.#pull(),
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

  #pull(): Promise<IteratorResult<Chunk, undefined>> {
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
    // Reads that do not wait for each other queue up behind the one that is open.
    if (this.#reader) return this.#opened.then(() => this.#pull())
    const opened = new Promise<IteratorResult<Chunk, undefined>>((resolve) => {
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
