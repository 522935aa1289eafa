import type { Chunk } from '@millrace/core'

/** A delta of a text, of reasoning or of a tool's input. */
export type Delta = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>

/** What a stream hook returns: the chunk it got, several chunks, or none, which holds the chunk back. */
export type Passed = Chunk | readonly Chunk[]

export function textOf(chunk: Delta): string {
  return chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : chunk.textDelta
}

/**
 * In UTF-16 units. The decided part of a delta is emitted before the rest only if it is at least this long: each extra
 * chunk costs every later hook.
 */
export const WORTHWHILE = 256

/** A delta in the queue: how much of its text is decided, and the decided text that is not emitted yet. */
export class Piece {
  readonly chunk: Delta
  readonly text: string
  /** UTF-16 units at its beginning that are decided. */
  decided = 0
  /** Decided units that have been emitted. */
  #emitted = 0
  #isEmitted = false
  /** What to emit next, once it differs from the text. Until then no text is copied. */
  #edited: string | undefined

  constructor(chunk: Delta) {
    this.chunk = chunk
    this.text = textOf(chunk)
  }

  get isDecided(): boolean {
    return this.decided === this.text.length
  }

  /** All of it is decided and nothing was changed or emitted: the chunk itself can be emitted. */
  get isWhole(): boolean {
    return this.isDecided && this.#edited === undefined && !this.#isEmitted
  }

  /** Too little of it is decided to be emitted. */
  get isHeld(): boolean {
    return !this.isDecided && (this.#edited?.length ?? this.decided - this.#emitted) < WORTHWHILE
  }

  /** Decides the units up to `end`: they are emitted as they are. */
  pass(end: number): void {
    if (this.#edited !== undefined) this.#edited += this.text.slice(this.decided, end)
    this.decided = end
  }

  /** Decides the units up to `end`: they are removed. */
  skip(end: number): void {
    this.insert('')
    this.decided = end
  }

  /** Emits a text before the units that are not decided. */
  insert(text: string): void {
    this.#edited = (this.#edited ?? this.text.slice(this.#emitted, this.decided)) + text
  }

  /** What can be emitted now: the chunk itself if it is whole. */
  take(): Chunk | undefined {
    const { chunk } = this
    if (this.isWhole) return chunk
    if (this.isHeld) return undefined
    const isFirst = !this.#isEmitted
    const text = this.#edited ?? this.text.slice(this.#emitted, this.decided)
    // The provider's metadata goes with the first chunk made of this delta.
    const { providerMetadata, ...plain } = chunk
    const metadata = isFirst ? providerMetadata : undefined
    if (text === '' && metadata === undefined) return undefined
    if (isFirst && this.isDecided && text === this.text) return chunk
    this.#isEmitted = true
    this.#emitted = this.decided
    if (this.#edited !== undefined) this.#edited = ''
    const emitted = metadata === undefined ? plain : { ...plain, providerMetadata: metadata }
    return emitted.type === 'tool-input-delta'
      ? { ...emitted, inputTextDelta: text }
      : { ...emitted, textDelta: text }
  }
}

/** Holds deltas that have no entries in the queue yet. */
export interface Holder {
  /** Adds them to the queue. */
  enqueueHeld(): void
}

/** The chunks of a response, in order. A chunk is emitted only after everything before it is decided. */
export class ChunkQueue {
  #entries: (Piece | Chunk)[] = []
  /** The number of deltas in the queue that are not fully decided. */
  #undecided = 0
  /** Holds the last deltas, which come after all entries. They are added to the queue before any other chunk. */
  #holder: Holder | undefined

  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#holder === undefined
  }

  /** Whether the queue is empty, apart from deltas of this holder. */
  isFreeFor(holder: Holder): boolean {
    return this.#entries.length === 0 && (this.#holder === undefined || this.#holder === holder)
  }

  /** From now on, this holder has deltas. */
  holdFor(holder: Holder): void {
    this.#holder = holder
  }

  /** The holder has no more deltas. */
  free(): void {
    this.#holder = undefined
  }

  #enqueueHeld(): void {
    const holder = this.#holder
    this.#holder = undefined
    holder?.enqueueHeld()
  }

  /** Adds a delta. It is held until it is decided. */
  add(piece: Piece): void {
    this.#enqueueHeld()
    this.#entries.push(piece)
    if (!piece.isDecided) this.#undecided++
  }

  /** Must be called when a delta in the queue becomes fully decided. */
  decide(): void {
    this.#undecided--
  }

  /** Adds a chunk. It is emitted after everything that is held. */
  pass(chunk: Chunk): Passed {
    this.#enqueueHeld()
    if (this.#entries.length === 0) return chunk
    this.#entries.push(chunk)
    // A start or end of a part cannot be emitted together with text before it that is still held (see `isMark`).
    return isMark(chunk) && this.#undecided > 0 ? [] : this.take()
  }

  /** Everything that can be emitted. */
  take(): readonly Chunk[] {
    const out: Chunk[] = []
    let count = 0
    for (const entry of this.#entries) {
      if (!(entry instanceof Piece)) out.push(entry)
      else {
        const chunk = entry.take()
        if (chunk) out.push(chunk)
        if (!entry.isDecided) break
      }
      count++
    }
    if (count === this.#entries.length) this.#entries = []
    // The usual case while the end of the text is held: one chunk in, one chunk out.
    else if (count === 1) this.#entries.shift()
    else if (count > 0) this.#entries.splice(0, count)
    return out
  }

  /**
   * Everything that can be emitted. A single chunk is returned by itself, without an array: that costs later hooks
   * less.
   */
  takeAny(): Passed {
    const entries = this.#entries
    const first = entries[0]
    // The common case: one delta waits for the next one, and is emitted as it came.
    if (first instanceof Piece && first.isWhole && entries.length <= 2) {
      const second = entries[1]
      if (second === undefined || (second instanceof Piece && second.isHeld)) {
        if (second) entries[0] = second
        entries.pop()
        return first.chunk
      }
    }
    const out = this.take()
    return out.length === 1 ? (out[0] as Chunk) : out
  }
}

/** A hook that returns nothing for such a chunk holds it back, and must not return other chunks in its place. */
function isMark({ type }: Chunk): boolean {
  return type.endsWith('-start') || type.endsWith('-end')
}
