import { codePointIn } from '../code-point.ts'
import { EDGE, UNKNOWN } from './alphabet.ts'
import { ACCEPTS, ALIVE, ALL, type Automaton, DEAD, NOTHING, type State } from './automaton.ts'
import type { MatchedPatterns } from './matched-patterns.ts'

/** How far a run may read. */
export interface RunBounds {
  /** The length of the longest match. */
  readonly maxLength: number
  /** The end of the text that may be read. */
  length: number
  /** Whether the text ends there. */
  final: boolean
  /**
   * How many units must be available from a character on, for matches that begin with it but are found by functions; 0
   * for none.
   */
  readonly reachAt: ((codePoint: number) => number) | undefined
  /** Patterns that must not begin within their own last match; `undefined` before the first match. */
  without: MatchedPatterns | undefined
}

/** No attempt is running. */
const IDLE = -1

/**
 * Runs an automaton over one text that arrives in chunks. Where a match may begin, it reads on until it is known which
 * patterns match and where they end. The inner loops handle the common case from the tables; everything else is
 * delegated.
 */
export class AutomatonRun {
  /** Everything before this position is decided. The current attempt began here. */
  place = 0
  /** The ends of the matches that begin at `place`, in ascending order, and the patterns that end there. */
  readonly ends: number[] = []
  readonly accepted: (readonly number[])[] = []
  /** The current attempt: how far it has read, and its state. */
  #read = 0
  #state = IDLE
  #generation = 0

  /** Continues at `place`, with a new attempt. */
  moveTo(place: number): void {
    this.place = place
    this.#state = IDLE
  }

  /** The first `length` units were removed from the buffer. */
  shift(length: number): void {
    this.place -= length
    this.#read -= length
    for (let index = 0; index < this.ends.length; index++)
      this.ends[index] = (this.ends[index] as number) - length
  }

  /**
   * Finds the next position where a match begins. Returns false if more text is needed: text from `place` on must then
   * be held.
   */
  advance(automaton: Automaton, text: Uint16Array, bounds: RunBounds): boolean {
    for (;;) {
      if (this.#state === IDLE || this.#generation !== automaton.generation) {
        if (!this.#begin(automaton, text, bounds)) return false
      }
      if (!this.#readOn(automaton, text, bounds)) return false
      if (this.#generation !== automaton.generation) continue
      if (this.ends.length > 0 || bounds.reachAt) return true
      this.place += codePointIn(text, this.place, bounds.length) > 0xffff ? 2 : 1
    }
  }

  /** Finds the matches that begin at `place`; none if `ends` is empty. Returns false if more text is needed. */
  matchHere(automaton: Automaton, text: Uint16Array, bounds: RunBounds): boolean {
    for (;;) {
      if (this.#state === IDLE || this.#generation !== automaton.generation) {
        this.ends.length = 0
        this.accepted.length = 0
        this.#read = this.place
        this.#state = automaton.start(automaton.classBefore(text, this.place))
        this.#generation = automaton.generation
      }
      if (!this.#readOn(automaton, text, bounds)) return false
      if (this.#generation === automaton.generation) return true
    }
  }

  /** Begins an attempt at the next position where a match may begin. */
  #begin(automaton: Automaton, text: Uint16Array, bounds: RunBounds): boolean {
    const { length, final, reachAt, without } = bounds
    this.#state = IDLE
    if (this.ends.length > 0) {
      this.ends.length = 0
      this.accepted.length = 0
    }
    let { place } = this
    while (place < length) {
      let before = automaton.classBefore(text, place)
      if (without && place >= without.until) without.moveTo(place)
      const starts = automaton.startsWithout(without ?? ALL)
      if (!reachAt) {
        const { shift } = automaton
        const { between } = starts
        const { units } = automaton.alphabet
        const stop = without ? Math.min(without.until, length) : length
        let start = 0
        for (; place < stop; place++) {
          const found = units[text[place] as number] as number
          start = found === UNKNOWN ? 0 : (between[(before << shift) + found] as number)
          if (start !== NOTHING) break
          before = found
        }
        if (place === length) break
        // From here on, another set of patterns may begin.
        if (place === stop) continue
        if (start !== 0) {
          this.place = place
          this.#read = place
          this.#state = start
          this.#generation = automaton.generation
          return true
        }
      }
      let found = automaton.alphabet.units[text[place] as number] as number
      let codePoint = -1
      if (found === UNKNOWN || reachAt) {
        codePoint = codePointIn(text, place, length)
        // A text must not be cut within a surrogate pair.
        if (!final && isHalf(codePoint) && place + 1 >= length) break
        found = automaton.classOf(codePoint)
      }
      const isOld = automaton.startsWithout(starts.without) !== starts
      const state = automaton.begin(before, found, isOld ? automaton.startsWithout(starts.without) : starts)
      const reach = reachAt?.(codePoint) ?? 0
      if (state !== DEAD || reach > 0) {
        if (!final && length - place < reach) break
        this.place = place
        this.#read = place
        this.#state = state
        this.#generation = automaton.generation
        return true
      }
      place += codePoint > 0xffff ? 2 : 1
    }
    this.place = place
    return false
  }

  /** Reads on until no pattern can match any more. Returns false if more text is needed. */
  #readOn(automaton: Automaton, text: Uint16Array, { maxLength, length, final }: RunBounds): boolean {
    const { units } = automaton.alphabet
    let { onward, shift } = automaton
    const { place } = this
    const stop = Math.min(length, place + maxLength)
    let state = this.#state
    let read = this.#read
    for (;;) {
      for (; read < stop; read++) {
        const found = units[text[read] as number] as number
        if (found === UNKNOWN) break
        const next = onward[(state << shift) + found] as number
        if (next <= NOTHING) {
          if (next === 0) break
          this.#state = IDLE
          return true
        }
        state = next
      }
      if (read - place > maxLength) break
      let found = EDGE
      let width = 0
      if (read < length) {
        found = units[text[read] as number] as number
        width = 1
        if (found === UNKNOWN) {
          const codePoint = codePointIn(text, read, length)
          if (!final && isHalf(codePoint) && read + 1 >= length) return this.#pause(state, read)
          if (codePoint > 0xffff) width = 2
          found = automaton.classOf(codePoint)
          // The tables were reset, so this attempt starts again.
          if (this.#generation !== automaton.generation) return true
        }
      } else if (!final) return this.#pause(state, read)
      const next = automaton.next(state, found)
      this.#generation = automaton.generation
      ;({ onward, shift } = automaton)
      if (next === DEAD) break
      const flag = automaton.flags[next] as number
      if ((flag & ACCEPTS) !== 0) this.#recordMatches(automaton.states[next] as State, read, read + width)
      read += width
      if ((flag & ALIVE) === 0 || width === 0) break
      state = next
    }
    this.#state = IDLE
    return true
  }

  #pause(state: number, read: number): false {
    this.#state = state
    this.#read = read
    return false
  }

  #recordMatches({ accepted, acceptedBefore }: State, before: number, after: number): void {
    if (acceptedBefore.length > 0) {
      this.ends.push(before)
      this.accepted.push(acceptedBefore)
    }
    if (accepted.length > 0) {
      this.ends.push(after)
      this.accepted.push(accepted)
    }
  }
}

/** Whether it is a high surrogate, whose low surrogate may follow. */
function isHalf(codePoint: number): boolean {
  return codePoint <= 0xffff && (codePoint & 0xfc00) === 0xd800
}
