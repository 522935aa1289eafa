import { type ChunkQueue, type Delta, type Passed, Piece, textOf } from './chunk-queue.ts'
import type { OpenText } from './inspector.ts'
import { isPromise, perform, SLICE, type Task, wait } from './task.ts'
import type { TextEdits } from './text-edits.ts'
import { TextHash } from './text-hash.ts'

export interface JoinedTextOptions {
  readonly queue: ChunkQueue
  /** Begins to inspect it; `undefined` where its pieces are not to go out. */
  readonly open: (edits: TextEdits) => OpenText | undefined
  /** All goes out as it comes, and is only inspected. */
  readonly observes: boolean
  /** Parts in which something is found are left out. */
  readonly filters: boolean
}

/** A part that the text is in. */
export interface TextPart {
  readonly id: string
  /** What came of it before it was its turn. */
  readonly waiting: (PartPiece | string)[]
  readonly hash: TextHash
  isEnded: boolean
  isRemoved: boolean
}

/** A piece of a part. */
class PartPiece extends Piece {
  readonly part: TextPart

  constructor(chunk: Delta, part: TextPart) {
    super(chunk)
    this.part = part
  }
}

/**
 * A text that arrives in pieces and in parts: they are inspected as one, in the order in which the parts begin. What becomes of
 * its units is written into the pieces they came in.
 */
export class JoinedText {
  readonly #options: JoinedTextOptions
  readonly #text: OpenText | undefined
  /** All parts, and those of them that have not ended: the first is the one whose turn it is. */
  readonly parts: TextPart[] = []
  #open: TextPart[] = []
  /** Pieces with units that are not decided. */
  readonly #pieces: PartPiece[] = []
  readonly #hash = new TextHash()
  /** The part that text was taken from last. */
  #last: TextPart | undefined
  /** The piece under way, as long as nothing but passing has become of it: it needs no place in the queue. */
  #direct: Delta | undefined
  #passed = 0

  constructor(options: JoinedTextOptions) {
    this.#options = options
    const edits: TextEdits = {
      pass: (units) => {
        if (this.#direct) this.#passed += units
        else this.#decide(units, true)
      },
      insert: (text) => this.#insert(text),
      skip: (units) => {
        this.#enqueueDirect()
        this.#decide(units, false)
      },
    }
    this.#text = options.open(edits)
  }

  /** The hash of all that is left of it. */
  get key(): string {
    return this.#hash.key
  }

  start(id: string): void {
    const known = this.#open.find((part) => part.id === id)
    // Begun twice: what was begun first gets no more.
    if (known) known.isEnded = true
    const part = { id, waiting: [], hash: new TextHash(), isEnded: false, isRemoved: false }
    this.parts.push(part)
    this.#open.push(part)
  }

  delta(chunk: Delta, id: string): Passed | Promise<Passed> {
    const { queue, observes } = this.#options
    if (!this.#text) return []
    let part = this.#open[0]
    if (part?.id !== id || part.isEnded) part = this.#partOf(id)
    const text = textOf(chunk)
    if (text === '') return queue.pass(chunk)
    if (observes) return this.#observe(chunk, part, text)
    const isDirect = queue.isEmpty && part === this.#open[0] && !part.isRemoved && text.length <= SLICE
    if (!isDirect) return this.#enqueue(chunk, part)
    this.#turnTo(part)
    this.#direct = chunk
    this.#passed = 0
    const waiting = this.#text.push(text)
    if (!waiting && this.#direct && this.#passed === text.length) {
      this.#direct = undefined
      this.#addToHash(text, part)
      return chunk
    }
    this.#enqueueDirect()
    return taken(queue, waiting)
  }

  /** A part ends: the next one has its turn. */
  *end(id: string): Task<void> {
    const part = this.#open.find((each) => each.id === id && !each.isEnded)
    if (part) part.isEnded = true
    yield* this.#proceed()
  }

  /** Whether the part whose turn it is ends, and no other has begun: nothing need be done. */
  endsAlone(id: string): boolean {
    return this.#open.length === 1 && this.#open[0]?.id === id && this.#open.pop() !== undefined
  }

  /** No more comes. All of it is decided then. */
  *finish(): Task<void> {
    for (const part of this.#open) part.isEnded = true
    yield* this.#proceed()
    const waiting = this.#text?.end()
    if (waiting) yield* wait(waiting)
  }

  #partOf(id: string): TextPart {
    const known = this.#open.find((part) => part.id === id && !part.isEnded)
    if (known) return known
    this.start(id)
    return this.#open.at(-1) as TextPart
  }

  #observe(chunk: Delta, part: TextPart, text: string): Passed | Promise<Passed> {
    this.#hash.add(text)
    if (part !== this.#open[0]) {
      part.waiting.push(text)
      return chunk
    }
    this.#turnTo(part)
    const waiting = this.#take(text)
    return waiting ? Promise.resolve(waiting).then(() => chunk) : chunk
  }

  #enqueue(chunk: Delta, part: TextPart): Passed | Promise<Passed> {
    const { queue } = this.#options
    const piece = new PartPiece(chunk, part)
    queue.add(piece)
    if (part !== this.#open[0]) {
      part.waiting.push(piece)
      return []
    }
    this.#pieces.push(piece)
    this.#turnTo(part)
    return taken(queue, this.#take(piece.text))
  }

  /** The next piece is of this part. */
  #turnTo(part: TextPart): void {
    if (part === this.#last) return
    if (this.#last) this.#text?.nextPart?.()
    this.#last = part
  }

  #take(text: string): PromiseLike<void> | undefined {
    if (text.length <= SLICE) return this.#text?.push(text)
    const pushed = perform(this.#push(text))
    return isPromise(pushed) ? pushed : undefined
  }

  /** Takes up parts whose turn it is now. */
  *#proceed(): Task<void> {
    for (let part = this.#open[0]; part; part = this.#open[0]) {
      for (const each of part.waiting.splice(0)) {
        const piece = typeof each === 'string' ? undefined : each
        if (piece) this.#pieces.push(piece)
        this.#turnTo(part)
        yield* this.#push(piece ? piece.text : (each as string))
      }
      if (!part.isEnded) return
      this.#open.shift()
    }
  }

  *#push(text: string): Task<void> {
    for (let start = 0; start < text.length; start += SLICE) {
      const slice = text.slice(start, start + SLICE)
      const waiting = this.#text?.push(slice)
      if (waiting) yield* wait(waiting)
      yield slice.length
    }
  }

  #enqueueDirect(): void {
    const chunk = this.#direct
    const part = this.#open[0]
    if (!chunk || !part) return
    this.#direct = undefined
    const piece = new PartPiece(chunk, part)
    this.#options.queue.add(piece)
    this.#pieces.push(piece)
    if (this.#passed > 0) this.#decide(this.#passed, true)
  }

  #insert(text: string): void {
    this.#enqueueDirect()
    const first = this.#pieces[0]
    if (!first || first.part.isRemoved || this.#options.filters) return
    first.insert(text)
    this.#addToHash(text, first.part)
  }

  /** Passes the next units, or leaves them out. */
  #decide(units: number, passes: boolean): void {
    let left = units
    while (left > 0) {
      const piece = this.#pieces[0]
      if (!piece) return
      const { part, decided } = piece
      const end = Math.min(piece.text.length, decided + left)
      if (!passes && this.#options.filters) part.isRemoved = true
      if (passes && !part.isRemoved) {
        piece.pass(end)
        this.#addToHash(piece.text, part, decided, end)
      } else piece.skip(end)
      left -= end - decided
      if (!piece.isDecided) return
      this.#pieces.shift()
      this.#options.queue.decide()
    }
  }

  /** Adds what is left of a part to its hash, and to that of the whole text. */
  #addToHash(text: string, part: TextPart, start = 0, end = text.length): void {
    this.#hash.add(text, start, end)
    if (this.#options.filters) part.hash.add(text, start, end)
  }
}

/** What can go out, once what is waited for is there. */
function taken(queue: ChunkQueue, waiting: PromiseLike<void> | undefined): Passed | Promise<Passed> {
  return waiting ? Promise.resolve(waiting).then(() => queue.takeAny()) : queue.takeAny()
}
