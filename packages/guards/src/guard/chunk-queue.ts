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

/** A piece of a text on its way: how much of it is decided, and what of that is yet to go out. */
export class Piece {
  readonly chunk: Delta
  readonly text: string
  decided = 0
  out = ''
  #isOut = false

  constructor(chunk: Delta) {
    this.chunk = chunk
    this.text = textOf(chunk)
  }

  get isDecided(): boolean {
    return this.decided === this.text.length
  }

  /** What can go out now: the chunk itself where it is whole and as it was. */
  take(): Chunk | undefined {
    const { chunk, out, isDecided } = this
    if (!isDecided && out.length < WORTHWHILE) return undefined
    if (!this.#isOut && isDecided && out === this.text) return chunk
    // What its provider says of the piece goes with the first of it.
    const { providerMetadata, ...plain } = chunk
    const metadata = this.#isOut ? undefined : providerMetadata
    if (out === '' && metadata === undefined) return undefined
    this.#isOut = true
    this.out = ''
    const said = metadata === undefined ? plain : { ...plain, providerMetadata: metadata }
    return said.type === 'tool-input-delta' ? { ...said, inputTextDelta: out } : { ...said, textDelta: out }
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
    const out = this.take()
    return out.length === 1 ? (out[0] as Chunk) : out
  }
}

/** A hook that returns nothing of such a chunk holds it back, and must not return others in its place. */
function isMark({ type }: Chunk): boolean {
  return type.endsWith('-start') || type.endsWith('-end')
}
