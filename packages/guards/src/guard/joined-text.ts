import type { Chunk } from '@millrace/core'
import {
  type ChunkQueue,
  type Delta,
  type Holder,
  type Passed,
  Piece,
  textOf,
  WORTHWHILE,
} from './chunk-queue.ts'
import type { OpenText } from './inspector.ts'
import { isPromise, perform, SLICE, type Task, wait } from './task.ts'
import type { TextEdits } from './text-edits.ts'
import { TextHash } from './text-hash.ts'

export interface JoinedTextOptions {
  readonly queue: ChunkQueue
  /** Opens the inspection; `undefined` if the deltas must not be emitted. */
  readonly open: (edits: TextEdits) => OpenText | undefined
  /** Whether deltas are emitted at once and only inspected. */
  readonly observes: boolean
  /** Whether parts that have findings are removed. */
  readonly filters: boolean
}

/** A part of the text. */
export interface TextPart {
  readonly id: string
  /** Deltas that arrived before the turn of this part. */
  readonly waiting: (PartPiece | string)[]
  readonly hash: TextHash
  isEnded: boolean
  isRemoved: boolean
}

/** A delta with its part. */
class PartPiece extends Piece {
  readonly part: TextPart

  constructor(chunk: Delta, part: TextPart) {
    super(chunk)
    this.part = part
  }
}

/**
 * A text that arrives in deltas and in parts. The parts are inspected as one text, in the order in which they begin.
 * The edits are written into the deltas that the text came in.
 */
export class JoinedText implements Holder {
  readonly #options: JoinedTextOptions
  readonly #text: OpenText | undefined
  /** All parts. `#open` has those that are not finished; the first of these is the one being read. */
  readonly parts: TextPart[] = []
  #open: TextPart[] = []
  /** Deltas with units that are not decided, in order. */
  readonly #pieces: PartPiece[] = []
  readonly #hash = new TextHash()
  /** The part that text was read from last. */
  #last: TextPart | undefined
  /**
   * The last deltas, and the one that is being read, if they are of one part and their text only passed so far. They
   * need no entry in the queue.
   */
  #held: Delta[] = []
  /** How many of the held deltas were emitted. They are removed from time to time. */
  #taken = 0
  #current: Delta | undefined
  /** The part of these deltas, and how many of their units passed. */
  #part: TextPart | undefined
  #passed = 0

  constructor(options: JoinedTextOptions) {
    this.#options = options
    const edits: TextEdits = {
      pass: (units) => {
        if (this.#part) this.#passed += units
        else this.#decide(units, true)
      },
      insert: (text) => this.#insert(text),
      skip: (units) => {
        this.enqueueHeld()
        this.#decide(units, false)
      },
    }
    this.#text = options.open(edits)
  }

  /** The hash of the whole text after the edits. */
  get key(): string {
    return this.#hash.key
  }

  start(id: string): void {
    const known = this.#open.find((part) => part.id === id)
    // A second start with the same id: the first part gets no more text.
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
    const isDirect =
      queue.isFreeFor(this) && part === this.#open[0] && !part.isRemoved && text.length <= SLICE
    if (!isDirect) return this.#enqueue(chunk, part)
    this.#turnTo(part)
    this.#current = chunk
    this.#part = part
    const waiting = this.#text.push(text)
    const passed = waiting ? undefined : this.#passHeld(chunk, part)
    if (passed) return passed
    this.enqueueHeld()
    return taken(queue, waiting)
  }

  /** Emits the deltas that passed, as they are, and holds the others; `undefined` if the queue is needed for that. */
  #passHeld(chunk: Delta, part: TextPart): Passed | undefined {
    if (this.#part === undefined) return undefined
    const held = this.#held
    const start = this.#taken
    let passed = this.#passed
    let end = start
    for (; end <= held.length; end++) {
      const { length } = textOf(held[end] ?? chunk)
      if (length > passed) break
      passed -= length
    }
    const holds = end <= held.length
    if (passed >= WORTHWHILE && holds) return undefined
    this.#passed = holds ? passed : 0
    this.#current = undefined
    for (let index = start; index < end; index++) this.#addToHash(textOf(held[index] ?? chunk), part)
    if (holds) this.#options.queue.holdFor(this)
    else {
      this.#part = undefined
      this.#options.queue.free()
    }
    // The usual cases: nothing is held, or one is held and the next takes its place.
    const first = held[start]
    if (first === undefined && !holds) return chunk
    if (first && end - start === 1 && end === held.length) {
      held[start] = chunk
      return first
    }
    held.push(chunk)
    if (end === start) return NOTHING
    const out = end - start === 1 && first ? first : held.slice(start, end)
    this.#taken = end
    if (!holds || (end > MOST_TAKEN && 2 * end > held.length)) {
      this.#held = held.slice(end)
      this.#taken = 0
    }
    return out
  }

  /** Ends a part, and continues with the next one. */
  *end(id: string): Task<void> {
    const part = this.#open.find((each) => each.id === id && !each.isEnded)
    if (part) part.isEnded = true
    this.enqueueHeld()
    yield* this.#proceed()
  }

  /** Whether this is the only open part, which then ends: nothing else has to be done. */
  endsAlone(id: string): boolean {
    return this.#open.length === 1 && this.#open[0]?.id === id && this.#open.pop() !== undefined
  }

  /** Ends the text. All of it is decided then. */
  *finish(): Task<void> {
    for (const part of this.#open) part.isEnded = true
    this.enqueueHeld()
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
    this.enqueueHeld()
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

  /** The next delta belongs to this part. */
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

  /** Reads the deltas of the parts whose turn has come. */
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

  /** Moves the deltas that have no entry in the queue there. */
  enqueueHeld(): void {
    const part = this.#part
    if (!part) return
    this.#part = undefined
    if (this.#current) this.#held.push(this.#current)
    this.#current = undefined
    const held = this.#held.slice(this.#taken)
    this.#held = []
    this.#taken = 0
    for (const chunk of held) {
      const piece = new PartPiece(chunk, part)
      this.#options.queue.add(piece)
      this.#pieces.push(piece)
    }
    const passed = this.#passed
    this.#passed = 0
    if (passed > 0) this.#decide(passed, true)
  }

  #insert(text: string): void {
    this.enqueueHeld()
    const first = this.#pieces[0]
    if (!first || first.part.isRemoved || this.#options.filters) return
    first.insert(text)
    this.#addToHash(text, first.part)
  }

  /** The next units pass, or are skipped. */
  #decide(units: number, passes: boolean): void {
    let remaining = units
    while (remaining > 0) {
      const piece = this.#pieces[0]
      if (!piece) return
      const { part, decided } = piece
      const end = Math.min(piece.text.length, decided + remaining)
      if (!passes && this.#options.filters) part.isRemoved = true
      if (passes && !part.isRemoved) {
        piece.pass(end)
        this.#addToHash(piece.text, part, decided, end)
      } else piece.skip(end)
      remaining -= end - decided
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

const NOTHING: readonly Chunk[] = []

/** How many emitted deltas may stay in the list. */
const MOST_TAKEN = 64

/** What can be emitted, as soon as `waiting` is settled. */
function taken(queue: ChunkQueue, waiting: PromiseLike<void> | undefined): Passed | Promise<Passed> {
  return waiting ? Promise.resolve(waiting).then(() => queue.takeAny()) : queue.takeAny()
}
