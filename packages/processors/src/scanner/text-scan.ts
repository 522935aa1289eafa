import { EDGE, UNKNOWN } from './alphabet.ts'
import { ACCEPTS, ALIVE, type Automaton, DEAD, type State, UNEXPLORED } from './automaton.ts'
import { CONTEXT_WINDOW, type Detection } from './recognizer.ts'
import type { CompiledContext, CompiledRest, ScanMachine } from './scanner.ts'

/** Where a scan puts what it has decided. Every character of the text comes once, in order, as text or as covered. */
export interface ScanSink {
  /** Text outside of matches. */
  text(piece: string): void
  /** A match, before its own text. `value` is its text; of an open-ended match its header. */
  match(detection: Detection, value: string, kind: MatchKind): void
  /** Text of matches. */
  covered(piece: string): void
}

export interface MatchKind {
  /** It begins within the match before. */
  readonly continues: boolean
  /** It is open-ended: `detection.end` grows until its rest has passed. */
  readonly open: boolean
}

type Writable<T> = { -readonly [KEY in keyof T]: T[KEY] }

interface OpenMatch {
  readonly detection: Writable<Detection>
  readonly rest: CompiledRest
  /** Where it ends at the latest, in the buffer. */
  limit: number
}

/** How many candidates are tried at one place, from the longest on. It bounds what a hostile text can cost. */
const MAX_TRIES = 8

/** No run is under way. */
const IDLE = -1

/** Text before a match that has to be kept: what the context needs, and one whole character. */
const KEPT = CONTEXT_WINDOW + 2

/** One text on its way through a scanner. */
export class TextScan {
  readonly #machine: ScanMachine
  readonly #sink: ScanSink
  #buffer = ''
  /** Where the buffer begins in the text. Other places are counted within the buffer. */
  #offset = 0
  /** Before this place everything is decided. The run under way began here. */
  #place = 0
  /** Before this place everything is out. Behind `#place` while a match that may be overlapped is searched. */
  #out = 0
  /** The run under way: how far it has read, in which state, what it has accepted. */
  #read = 0
  #state = IDLE
  #generation = 0
  #ends: number[] = []
  readonly #accepted: (readonly number[])[] = []
  #open: OpenMatch | undefined
  /** By recogniser: where its last match ended, in the text. */
  #lastEnds: Map<number, number> | undefined
  /** By recogniser: whether one of its context words is before the place under way. */
  #contexts: Map<number, boolean> | undefined

  constructor(machine: ScanMachine, sink: ScanSink) {
    this.#machine = machine
    this.#sink = sink
  }

  /** Text not yet decided, in UTF-16 units. */
  get held(): number {
    return this.#buffer.length - this.#out
  }

  /** Takes the next piece. What is decided by it goes out before this returns. */
  push(piece: string): void {
    if (piece === '') return
    const start = Math.max(0, this.#place - KEPT)
    if (start > 0) this.#moveTo(start)
    this.#buffer = this.#buffer === '' ? piece : this.#buffer + piece
    this.#run(false)
  }

  /** The text ends here: what was held goes out. */
  end(): void {
    this.#run(true)
  }

  #moveTo(start: number): void {
    this.#buffer = this.#buffer.slice(start)
    this.#offset += start
    this.#place -= start
    this.#out -= start
    this.#read -= start
    this.#ends = this.#ends.map((end) => end - start)
    if (this.#open) this.#open.limit -= start
  }

  #run(final: boolean): void {
    for (;;) {
      if (this.#open) {
        if (!this.#swallow(this.#open, final)) break
      } else {
        const { automaton, maxLength } = this.#machine
        if (!this.#advance(automaton, maxLength, this.#buffer.length, final)) break
        this.#decide()
      }
    }
    this.#flush(this.#place)
  }

  /** Lets out the text before `end`. */
  #flush(end: number): void {
    if (end <= this.#out) return
    const piece = this.#buffer.slice(this.#out, end)
    this.#out = end
    if (this.#open) this.#sink.covered(piece)
    else this.#sink.text(piece)
  }

  /**
   * Finds the next place where a match may begin and reads on from there until it is known which do. Returns false
   * where the text does not suffice: `#place` is then the place from which it has to be held.
   */
  #advance(automaton: Automaton, maxLength: number, length: number, final: boolean): boolean {
    const text = this.#buffer
    const { functions, functionReach } = automaton === this.#machine.automaton ? this.#machine : NO_FUNCTIONS
    let place = this.#place
    let read = this.#read
    let before = automaton.classBefore(text, place)
    let state = this.#generation === automaton.generation ? this.#state : IDLE
    const { units } = automaton.alphabet
    let { transitions, stride, starts, flags } = automaton

    for (;;) {
      if (state === IDLE) {
        for (; place < length; ) {
          // What most characters take: known ones with which nothing begins.
          for (; place < length && functionReach === 0; place++) {
            const found = units[text.charCodeAt(place)] as number
            // A start that is not explored leads outside of the table.
            if (found === UNKNOWN || transitions[(starts[before] as number) * stride + found] !== DEAD) break
            before = found
          }
          if (place >= length) break
          let found = units[text.charCodeAt(place)] as number
          let width = 1
          let codePoint = 0
          if (found === UNKNOWN || functionReach > 0) {
            codePoint = text.codePointAt(place) as number
            if (codePoint > 0xffff) {
              width = 2
              // A text, or the part of it that counts, is never to be cut within a character.
            } else if ((codePoint & 0xfc00) === 0xd800 && place + 1 >= length && !final) {
              this.#pause(place, IDLE, place, automaton)
              return false
            }
            found = automaton.classOf(codePoint)
            ;({ transitions, stride, starts, flags } = automaton)
          }
          let start = starts[before] as number
          if (start === UNEXPLORED || start === undefined) {
            start = automaton.start(before)
            ;({ transitions, stride, starts, flags } = automaton)
          }
          let next = transitions[start * stride + found] as number
          if (next === UNEXPLORED) {
            next = automaton.step(start, found)
            ;({ transitions, stride, starts, flags } = automaton)
          }
          if (next !== DEAD) break
          if (functionReach > 0 && reachAt(functions, codePoint) > 0) break
          before = found
          place += width
        }
        if (
          place >= length ||
          (functionReach > 0 &&
            !final &&
            length - place < reachAt(functions, text.codePointAt(place) as number))
        ) {
          this.#pause(place, IDLE, place, automaton)
          return false
        }
        // Read again: exploring may have started the table anew.
        state = automaton.start(before)
        if (transitions !== automaton.transitions) ({ transitions, stride, starts, flags } = automaton)
        read = place
        if (this.#ends.length > 0) {
          this.#ends.length = 0
          this.#accepted.length = 0
        }
      }

      let restarted = false
      for (;;) {
        // What most characters take: known ones with which the match goes on and none ends.
        for (const stop = Math.min(length, place + maxLength); read < stop; read++) {
          const found = units[text.charCodeAt(read)] as number
          if (found === UNKNOWN) break
          const next = transitions[state * stride + found] as number
          if (next <= DEAD || flags[next] !== ALIVE) break
          state = next
        }
        if (read - place > maxLength) break
        let found = EDGE
        let width = 0
        if (read < length) {
          found = units[text.charCodeAt(read)] as number
          width = 1
          if (found === UNKNOWN) {
            const codePoint = text.codePointAt(read) as number
            if (codePoint > 0xffff) {
              width = 2
            } else if ((codePoint & 0xfc00) === 0xd800 && read + 1 >= length && !final) {
              this.#pause(place, state, read, automaton)
              return false
            }
            const { generation } = automaton
            found = automaton.classOf(codePoint)
            if (generation !== automaton.generation) {
              restarted = true
              break
            }
          }
        } else if (!final) {
          this.#pause(place, state, read, automaton)
          return false
        }
        let next = transitions[state * stride + found] as number
        if (next === UNEXPLORED) {
          next = automaton.step(state, found)
          ;({ transitions, stride, starts, flags } = automaton)
        }
        if (next === DEAD) break
        const flag = flags[next] as number
        if ((flag & ACCEPTS) !== 0) this.#note(automaton.states[next] as State, read, read + width)
        read += width
        if ((flag & ALIVE) === 0 || width === 0) break
        state = next
      }
      state = IDLE
      if (restarted) {
        ;({ transitions, stride, starts, flags } = automaton)
        continue
      }
      if (this.#ends.length > 0 || functionReach > 0) {
        this.#pause(place, IDLE, place, automaton)
        return true
      }
      before = units[text.charCodeAt(place)] as number
      if (before === UNKNOWN) {
        const codePoint = text.codePointAt(place) as number
        before = automaton.classOf(codePoint)
        if (codePoint > 0xffff) place++
      }
      place++
    }
  }

  #pause(place: number, state: number, read: number, { generation }: Automaton): void {
    this.#place = place
    this.#state = state
    this.#read = read
    this.#generation = generation
  }

  #note({ accepted, acceptedBefore }: State, before: number, after: number): void {
    if (acceptedBefore.length > 0) {
      this.#ends.push(before)
      this.#accepted.push(acceptedBefore)
    }
    if (accepted.length > 0) {
      this.#ends.push(after)
      this.#accepted.push(accepted)
    }
  }

  /** Takes the longest match at `#place` that scores, if any, and moves on. */
  #decide(): void {
    const place = this.#place
    const text = this.#buffer
    const before = text.slice(Math.max(0, place - CONTEXT_WINDOW), place)
    this.#contexts?.clear()
    this.#addFunctions(before)
    let tries = MAX_TRIES
    for (let index = this.#ends.length - 1; index >= 0 && tries > 0; index--, tries--) {
      const end = this.#ends[index] as number
      if (end <= place || end <= this.#out) break
      const value = text.slice(place, end)
      let candidates = this.#accepted[index] as readonly number[]
      while (index > 0 && this.#ends[index - 1] === end) {
        candidates = [...candidates, ...(this.#accepted[--index] as readonly number[])]
      }
      const best = this.#best(candidates, value, before)
      if (!best) continue
      this.#take(best, end, value)
      return
    }
    this.#place = this.#after(place)
  }

  #best(
    candidates: readonly number[],
    value: string,
    before: string,
  ): { recognizer: number; score: number } | undefined {
    const { recognizers, threshold } = this.#machine
    let best: { recognizer: number; score: number } | undefined
    for (const recognizer of candidates) {
      const { maxLength, score, context } = recognizers[recognizer] as (typeof recognizers)[number]
      if (value.length > maxLength) continue
      if ((this.#lastEnds?.get(recognizer) ?? 0) > this.#offset + this.#place) continue
      const plain = score(value, before)
      const reached =
        plain > 0 && context && this.#hasContext(recognizer, context, before) ? context.raise(plain) : plain
      if (reached > 0 && reached >= threshold && reached > (best?.score ?? 0))
        best = { recognizer, score: reached }
    }
    return best
  }

  /** Looked up once for all candidates at a place: what is before them is the same. */
  #hasContext(recognizer: number, { isIn }: CompiledContext, before: string): boolean {
    this.#contexts ??= new Map()
    let known = this.#contexts.get(recognizer)
    if (known === undefined) {
      known = isIn(before)
      this.#contexts.set(recognizer, known)
    }
    return known
  }

  #take({ recognizer, score }: { recognizer: number; score: number }, end: number, match: string): void {
    const place = this.#place
    const { type, id, rest, part } = this.#machine.recognizers[
      recognizer
    ] as ScanMachine['recognizers'][number]
    const [from, to] = part?.(match) ?? [0, match.length]
    const continues = place + from < this.#out
    this.#flush(place + from)
    const detection: Writable<Detection> = {
      type,
      start: this.#offset + place + from,
      end: this.#offset + place + to,
      score,
      recognizer: id,
    }
    this.#sink.match(detection, match.slice(from, to), { continues, open: rest !== undefined })
    this.#sink.covered(this.#buffer.slice(this.#out, place + to))
    this.#out = Math.max(this.#out, place + to)
    this.#lastEnds ??= new Map()
    this.#lastEnds.set(recognizer, this.#offset + end)
    if (rest) {
      this.#open = { detection, rest, limit: end + rest.maxLength }
      this.#place = end
    } else {
      this.#place = this.#after(place)
    }
  }

  /** Merges what functions find at `#place` into what the patterns have, by length. */
  #addFunctions(before: string): void {
    const { functions } = this.#machine
    const place = this.#place
    for (const { recognizer, maxLength, match, starts } of functions) {
      if (starts && !starts(this.#buffer.codePointAt(place) as number)) continue
      const ahead = this.#buffer.slice(place, place + maxLength)
      const length = Math.min(match(ahead, before), ahead.length)
      if (!(length > 0)) continue
      let index = this.#ends.length
      while (index > 0 && (this.#ends[index - 1] as number) > place + length) index--
      this.#ends.splice(index, 0, place + length)
      this.#accepted.splice(index, 0, [recognizer])
    }
  }

  /** Goes on within an open-ended match. Returns true when its end is found. */
  #swallow(open: OpenMatch, final: boolean): boolean {
    const { rest } = open
    const length = this.#buffer.length
    const isLimited = length > open.limit || (final && length >= open.limit)
    const limit = isLimited ? this.#whole(open.limit) : length
    const whole = final || isLimited
    const ended = rest.until ? this.#swallowUntil(rest, limit, whole) : this.#swallowWhile(rest, limit, whole)
    this.#flush(this.#place)
    if (ended || isLimited) {
      this.#close(open)
      return true
    }
    open.detection.end = this.#offset + this.#out
    if (final) this.#open = undefined
    return false
  }

  #close(open: OpenMatch): void {
    open.detection.end = this.#offset + this.#out
    this.#open = undefined
    this.#state = IDLE
  }

  #swallowUntil({ until, untilLength }: CompiledRest, limit: number, final: boolean): boolean {
    while (this.#advance(until as Automaton, untilLength, limit, final)) {
      const end = this.#ends.at(-1) as number
      if (end > this.#place) {
        this.#place = end
        return true
      }
      this.#place = this.#after(this.#place)
    }
    return false
  }

  #swallowWhile(rest: CompiledRest, limit: number, whole: boolean): boolean {
    const matches = rest.while as NonNullable<CompiledRest['while']>
    let place = this.#place
    while (place < limit) {
      const codePoint = this.#buffer.codePointAt(place) as number
      if (!whole && place + 1 === limit && (codePoint & 0x1ffc00) === 0xd800) break
      if (!matches(codePoint)) {
        this.#place = place
        return true
      }
      place = this.#after(place)
    }
    this.#place = Math.min(place, limit)
    return false
  }

  /** The place after the character at `place`. */
  #after(place: number): number {
    const codePoint = this.#buffer.codePointAt(place)
    return place + (codePoint !== undefined && codePoint > 0xffff ? 2 : 1)
  }

  /** `place`, or the next place where it lies within a character. */
  #whole(place: number): number {
    return place > 0 && (this.#buffer.codePointAt(place - 1) ?? 0) > 0xffff ? place + 1 : place
  }
}

/** How far the functions must see that may find something beginning with this character. */
function reachAt(functions: ScanMachine['functions'], codePoint: number): number {
  let reach = 0
  for (const { starts, maxLength } of functions) {
    if (maxLength > reach && (!starts || starts(codePoint))) reach = maxLength
  }
  return reach
}

const NO_FUNCTIONS: Pick<ScanMachine, 'functions' | 'functionReach'> = { functions: [], functionReach: 0 }
