import type { Chunk } from '@millrace/core'

/** A piece of a text. */
export type Delta = Extract<Chunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta' }>

/** What a stream hook returns: the chunk it got, several, or none, which holds the chunk back. */
export type Passed = Chunk | readonly Chunk[]

export function textOf(chunk: Delta): string {
  return chunk.type === 'tool-input-delta' ? chunk.inputTextDelta : chunk.textDelta
}

/** Less of a piece than this waits for the rest of it, in UTF-16 units: two chunks for one cost all that are behind. */
const WORTHWHILE = 256

/** A delta in the queue: how much of its text is decided, and what of that has not been emitted. */
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

  /** Too little of it is decided to be emitted yet. */
  get isHeld(): boolean {
    return !this.isDecided && (this.#edited?.length ?? this.decided - this.#emitted) < WORTHWHILE
  }

  /** Decides the units up to `end`: they are emitted as they are. */
  pass(end: number): void {
    if (this.#edited !== undefined) this.#edited += this.text.slice(this.decided, end)
    this.decided = end
  }

  /** Decides the units up to `end`: they are left out. */
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
    // What its provider says about the delta is emitted with the first part of it.
    const { providerMetadata, ...plain } = chunk
    const metadata = isFirst ? providerMetadata : undefined
    if (text === '' && metadata === undefined) return undefined
    if (isFirst && this.isDecided && text === this.text) return chunk
    this.#isEmitted = true
    this.#emitted = this.decided
    if (this.#edited !== undefined) this.#edited = ''
    const said = metadata === undefined ? plain : { ...plain, providerMetadata: metadata }
    return said.type === 'tool-input-delta' ? { ...said, inputTextDelta: text } : { ...said, textDelta: text }
  }
}

/** The chunks of a response in order: none goes out before everything before it is decided. */
export class ChunkQueue {
  #entries: (Piece | Chunk)[] = []
  /** Pieces that are not decided. */
  #undecided = 0

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  /** A piece of a text waits for what becomes of it. */
  add(piece: Piece): void {
    this.#entries.push(piece)
    if (!piece.isDecided) this.#undecided++
  }

  /** To be called when a piece in the queue is decided. */
  decide(): void {
    this.#undecided--
  }

  /** Lets a chunk go out behind all that waits. */
  pass(chunk: Chunk): Passed {
    if (this.#entries.length === 0) return chunk
    this.#entries.push(chunk)
    // The mark of a part that is held must come out alone or last: it is the whole of it or nothing.
    return isMark(chunk) && this.#undecided > 0 ? [] : this.take()
  }

  /** All that can go out. */
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
    // Of a text of which the last piece is held, one goes out for one that comes.
    else if (count === 1) this.#entries.shift()
    else if (count > 0) this.#entries.splice(0, count)
    return out
  }

  /** All that can go out for a piece of text; a single chunk by itself, which costs all that are behind less. */
  takeAny(): Passed {
    const [first, second] = this.#entries
    // The common case: one delta waits for the next one, and is emitted as it came.
    if (first instanceof Piece && first.isWhole && this.#entries.length <= 2) {
      if (second === undefined || (second instanceof Piece && second.isHeld)) {
        this.#entries.shift()
        return first.chunk
      }
    }
    const out = this.take()
    return out.length === 1 ? (out[0] as Chunk) : out
  }
}

/** A hook that returns nothing of such a chunk holds it back, and must not return others in its place. */
function isMark({ type }: Chunk): boolean {
  return type.endsWith('-start') || type.endsWith('-end')
}
