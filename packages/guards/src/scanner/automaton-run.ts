import { EDGE, UNKNOWN } from './alphabet.ts'
import { ACCEPTS, ALIVE, ALL, type Automaton, DEAD, NOTHING, type State } from './automaton.ts'
import type { MatchedPatterns } from './matched-patterns.ts'

/** How far a run may read. */
export interface RunBounds {
  /** The longest match. */
  readonly maxLength: number
  /** Where what may be read of the text ends. */
  readonly length: number
  /** Whether the text ends there. */
  readonly final: boolean
  /** How much text must be there, from a character on, for what begins with it but is in no pattern; 0 for none. */
  readonly reachAt?: ((codePoint: number) => number) | undefined
  /** Patterns that do not begin within their own match. */
  readonly without?: MatchedPatterns | undefined
}

/** No attempt is under way. */
const IDLE = -1

/**
 * The way of an automaton through one text that arrives in pieces: where a match may begin, it reads on until it is
 * known which do, and where they end. The loops over characters do what most of them take, and leave the rest.
 */
export class AutomatonRun {
  /** Before this place everything is decided. The attempt under way began here. */
  place = 0
  /** Where matches end that begin at `place`, in order, and which patterns do. */
  readonly ends: number[] = []
  readonly accepted: (readonly number[])[] = []
  /** The attempt under way: how far it has read, and in which state. */
  #read = 0
  #state = IDLE
  #generation = 0

  /** Goes on at `place`, with another attempt. */
  moveTo(place: number): void {
    this.place = place
    this.#state = IDLE
  }

  /** The first `length` units of the text are gone. */
  shift(length: number): void {
    this.place -= length
    this.#read -= length
    for (let index = 0; index < this.ends.length; index++)
      this.ends[index] = (this.ends[index] as number) - length
  }

  /**
   * Finds the next place where a match begins. Returns false where the text does not suffice: `place` is then the place
   * from which it has to be held.
   */
  advance(automaton: Automaton, text: string, bounds: RunBounds): boolean {
    for (;;) {
      if (this.#state === IDLE || this.#generation !== automaton.generation) {
        if (!this.#begin(automaton, text, bounds)) return false
      }
      if (!this.#goOn(automaton, text, bounds)) return false
      if (this.#generation !== automaton.generation) continue
      if (this.ends.length > 0 || bounds.reachAt) return true
      this.place = after(text, this.place)
    }
  }

  /**
   * Finds what matches at `place`, and nowhere else: nothing where `ends` is empty. Returns false where the text does not
   * suffice.
   */
  matchHere(automaton: Automaton, text: string, bounds: RunBounds): boolean {
    for (;;) {
      if (this.#state === IDLE || this.#generation !== automaton.generation) {
        this.ends.length = 0
        this.accepted.length = 0
        this.#read = this.place
        this.#state = automaton.start(automaton.classBefore(text, this.place))
        this.#generation = automaton.generation
      }
      if (!this.#goOn(automaton, text, bounds)) return false
      if (this.#generation === automaton.generation) return true
    }
  }

  /** Begins an attempt at the next place where something may begin. */
  #begin(automaton: Automaton, text: string, bounds: RunBounds): boolean {
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
          const found = units[text.charCodeAt(place)] as number
          start = found === UNKNOWN ? 0 : (between[(before << shift) + found] as number)
          if (start !== NOTHING) break
          before = found
        }
        if (place === length) break
        // From here on others begin.
        if (place === stop) continue
        if (start !== 0) {
          this.place = place
          this.#read = place
          this.#state = start
          this.#generation = automaton.generation
          return true
        }
      }
      let found = automaton.alphabet.units[text.charCodeAt(place)] as number
      let codePoint = -1
      if (found === UNKNOWN || reachAt) {
        codePoint = text.codePointAt(place) as number
        // A text, or the part of it that counts, is never to be cut within a character.
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

  /** Reads on until nothing matches any more. Returns false where the text ends before. */
  #goOn(automaton: Automaton, text: string, { maxLength, length, final }: RunBounds): boolean {
    const { units } = automaton.alphabet
    let { onward, shift } = automaton
    const { place } = this
    const stop = Math.min(length, place + maxLength)
    let state = this.#state
    let read = this.#read
    for (;;) {
      for (; read < stop; read++) {
        const found = units[text.charCodeAt(read)] as number
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
        found = units[text.charCodeAt(read)] as number
        width = 1
        if (found === UNKNOWN) {
          const codePoint = text.codePointAt(read) as number
          if (!final && isHalf(codePoint) && read + 1 >= length) return this.#pause(state, read)
          if (codePoint > 0xffff) width = 2
          found = automaton.classOf(codePoint)
          // With the tables anew, this attempt is made again.
          if (this.#generation !== automaton.generation) return true
        }
      } else if (!final) return this.#pause(state, read)
      const next = automaton.next(state, found)
      this.#generation = automaton.generation
      ;({ onward, shift } = automaton)
      if (next === DEAD) break
      const flag = automaton.flags[next] as number
      if ((flag & ACCEPTS) !== 0) this.#note(automaton.states[next] as State, read, read + width)
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

  #note({ accepted, acceptedBefore }: State, before: number, after: number): void {
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

/** The place after the character at `place`. */
export function after(text: string, place: number): number {
  if ((text.charCodeAt(place) & 0xfc00) !== 0xd800) return place + 1
  return place + ((text.codePointAt(place) as number) > 0xffff ? 2 : 1)
}

/** Whether the second unit of a character may follow. */
function isHalf(codePoint: number): boolean {
  return codePoint <= 0xffff && (codePoint & 0xfc00) === 0xd800
}
