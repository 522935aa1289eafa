import type { Automaton } from './automaton.ts'
import { AutomatonRun, type RunBounds } from './automaton-run.ts'
import { MatchedPatterns } from './matched-patterns.ts'
import { introductionOf } from './named.ts'
import { CONTEXT_WINDOW, type Detection } from './recognizer.ts'
import type { CompiledContext, CompiledRest, ScanMachine } from './scan-machine.ts'
import type { ScanSink } from './scan-sink.ts'
import { TableColumns } from './table-columns.ts'
import { TextBuffer } from './text-buffer.ts'

type Writable<T> = { -readonly [KEY in keyof T]: T[KEY] }

interface OpenMatch {
  readonly detection: Writable<Detection>
  readonly rest: CompiledRest
  /** Its maximum end, in the buffer. */
  limit: number
}

/** How many candidates are tried at one position, from the longest on. It bounds the cost of hostile text. */
const MAX_TRIES = 8

/** The number of the pattern `last` in the automaton of a `rest` that repeats. */
const LAST = 1

/** How much decided text is kept: the context window, and one whole character. */
const KEPT = CONTEXT_WINDOW + 2

/** How much decided text may be in the buffer: moving the rest for every chunk would cost more. */
const MOST_DECIDED = 4 * KEPT

/** How much text is added to the buffer at once, in UTF-16 units: the buffer of a long text stays small. */
const MOST_AT_ONCE = 16_384

/** Whether the text has a letter, or any character outside of ASCII. */
export function hasLetter(text: string): boolean {
  return lastLetter(text, 0, text.length) !== -1
}

/** The position of the last letter or character outside of ASCII; -1 if there is none. */
function lastLetter(text: string, from: number, to: number): number {
  let place = to - 1
  while (place >= from && !isLetter(text.charCodeAt(place))) place--
  return place < from ? -1 : place
}

function isLetter(code: number): boolean {
  return code >= 0x80 || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a)
}

/** The scan of one text that arrives in chunks. */
export class TextScan {
  readonly #machine: ScanMachine
  readonly #sink: ScanSink
  readonly #buffer = new TextBuffer()
  /** The position of the buffer in the text. Other positions are relative to the buffer. */
  #offset = 0
  /** The position of the scan: everything before `#run.place` is decided. */
  readonly #run = new AutomatonRun()
  /**
   * Everything before this position is emitted. It is ahead of `#run.place` while matches that overlap the last one are
   * searched.
   */
  #out = 0
  #open: OpenMatch | undefined
  readonly #bounds: RunBounds
  /** By recognizer: the end of its last match, in the text. */
  #lastEnds: Map<number, number> | undefined
  /** By recognizer: whether one of its context words is before the current position. */
  #contexts: Map<number, boolean> | undefined
  /** Whether a letter is before the current position; undefined if not computed yet. */
  #isBehindLetters: boolean | undefined
  /** The position up to which the last letter was searched, and its position, in the buffer. */
  #lettersRead = 0
  #lastLetter = -1
  /** Whether the context is the name of a column, not the text of the buffer. */
  #isBehindName = false
  readonly #columns: TableColumns | undefined
  /** Recognizers that rejected all candidates at the current position. */
  readonly #refused: number[] = []

  /** The recognizer that is computing its score, and the text before the candidate. */
  #scoring = 0
  #before = ''
  readonly #counts = (score: number): boolean =>
    score > 0 && this.#inContext(score) >= this.#machine.threshold

  constructor(machine: ScanMachine, sink: ScanSink) {
    this.#machine = machine
    this.#sink = sink
    const { maxLength, reachAt } = machine
    this.#bounds = { maxLength, length: 0, final: false, reachAt, without: undefined }
    if (machine.readsContext) this.#columns = new TableColumns()
  }

  /** The length of the text that is not decided yet, in UTF-16 units. */
  get held(): number {
    return this.#buffer.length - this.#out
  }

  /** Takes the next chunk. What it decides is emitted before this returns. */
  push(piece: string): void {
    if (piece.length <= MOST_AT_ONCE) {
      if (piece !== '') this.#read(piece)
      return
    }
    for (let start = 0; start < piece.length; start += MOST_AT_ONCE) {
      this.#read(piece.slice(start, start + MOST_AT_ONCE))
    }
  }

  #read(piece: string): void {
    const { place } = this.#run
    if (place > MOST_DECIDED) this.#drop(place - KEPT)
    this.#buffer.add(piece)
    this.#columns?.grow()
    this.#scan(false)
  }

  /** Ends the text: everything held is emitted. */
  end(): void {
    this.#scan(true)
  }

  /** Removes the first `length` units from the buffer. */
  #drop(length: number): void {
    this.#columns?.readTo(this.#buffer.text, length)
    this.#buffer.drop(length)
    this.#columns?.shift(length)
    this.#lettersRead -= length
    this.#lastLetter -= length
    this.#offset += length
    this.#out -= length
    this.#run.shift(length)
    this.#bounds.without?.shift(length)
    if (this.#open) this.#open.limit -= length
  }

  #scan(final: boolean): void {
    for (;;) {
      if (this.#open) {
        if (!this.#swallow(this.#open, final)) break
      } else {
        const bounds = this.#bounds
        bounds.length = this.#buffer.length
        bounds.final = final
        if (!this.#run.advance(this.#machine.automaton, this.#buffer.units, bounds)) break
        this.#decide()
      }
    }
    this.#flush(this.#run.place)
  }

  /** Emits the text before `end`. */
  #flush(end: number): void {
    const units = end - this.#out
    if (units <= 0) return
    this.#out = end
    if (this.#open) this.#sink.cover(units)
    else this.#sink.pass(units)
  }

  /** Takes the longest match at `#run.place` whose score reaches the threshold, if any, and moves on. */
  #decide(): void {
    const place = this.#run.place
    const { text } = this.#buffer
    const before = text.slice(Math.max(0, place - CONTEXT_WINDOW), place)
    this.#addFunctions(before)
    if (this.#decideBehind(before)) return
    const column = this.#columns?.nameAt(text, place)
    if (column !== undefined) {
      this.#isBehindName = true
      const isFound = this.#decideBehind(introductionOf(column))
      this.#isBehindName = false
      if (isFound) return
    }
    this.#run.moveTo(this.#buffer.after(place))
  }

  /** The same with the given context. Returns false if no score reaches the threshold. */
  #decideBehind(before: string): boolean {
    const place = this.#run.place
    const { text } = this.#buffer
    this.#contexts?.clear()
    this.#isBehindLetters = undefined
    this.#refused.length = 0
    let tries = MAX_TRIES
    const longest = text.slice(place, this.#run.ends.at(-1))
    for (let index = this.#run.ends.length - 1; index >= 0 && tries > 0; index--, tries--) {
      const end = this.#run.ends[index] as number
      if (end <= place || end <= this.#out) break
      let candidates = this.#run.accepted[index] as readonly number[]
      while (index > 0 && this.#run.ends[index - 1] === end) {
        candidates = [...candidates, ...(this.#run.accepted[--index] as readonly number[])]
      }
      if (this.#refused.length > 0 && candidates.every((each) => this.#refused.includes(each))) continue
      const value = text.slice(place, end)
      const best = this.#best(candidates, { value, longest, before })
      if (!best) continue
      this.#take(best, end, value)
      return true
    }
    return false
  }

  #best(
    candidates: readonly number[],
    { value, longest, before }: { value: string; longest: string; before: string },
  ): { recognizer: number; score: number } | undefined {
    const { recognizers, threshold } = this.#machine
    let best: { recognizer: number; score: number } | undefined
    const following = longest.slice(value.length)
    for (const recognizer of candidates) {
      const { maxLength, exact, score } = recognizers[recognizer] as (typeof recognizers)[number]
      if (value.length > maxLength) continue
      if ((this.#lastEnds?.get(recognizer) ?? 0) > this.#offset + this.#run.place) continue
      this.#scoring = recognizer
      this.#before = before
      const plain = this.#refused.includes(recognizer) ? 0 : score(value, before, this.#counts, following)
      if (plain === 0) continue
      if (plain < 0) {
        this.#refused.push(recognizer)
        continue
      }
      const reached = this.#inContext(plain)
      if (reached < threshold || reached <= (best?.score ?? 0)) continue
      // Tested last, as most candidates fail before.
      if (exact?.test(value) !== false) best = { recognizer, score: reached }
    }
    return best
  }

  /** Raises the score of the current recognizer if one of its context words is before the candidate. */
  #inContext(plain: number): number {
    const { recognizers, threshold } = this.#machine
    const { context } = recognizers[this.#scoring] as (typeof recognizers)[number]
    if (plain <= 0 || !context) return plain
    const raised = context.raise(plain)
    if (raised < threshold && plain < threshold) return plain
    return this.#hasContext(this.#scoring, context, this.#before) ? raised : plain
  }

  /** Cached for all candidates at a position, which have the same text before them. */
  #hasContext(recognizer: number, { hasLetters, isIn }: CompiledContext, before: string): boolean {
    this.#isBehindLetters ??= this.#behindLetters(before)
    if (hasLetters && !this.#isBehindLetters) return false
    this.#contexts ??= new Map()
    let known = this.#contexts.get(recognizer)
    if (known === undefined) {
      known = isIn(before)
      this.#contexts.set(recognizer, known)
    }
    return known
  }

  /** Reads every character once: in a text of digits this is called at each of them. */
  #behindLetters(before: string): boolean {
    const place = this.#run.place
    if (this.#isBehindName) return hasLetter(before)
    const found = lastLetter(this.#buffer.text, Math.max(0, this.#lettersRead), place)
    if (found !== -1) this.#lastLetter = found
    this.#lettersRead = Math.max(this.#lettersRead, place)
    return this.#lastLetter >= Math.max(0, place - CONTEXT_WINDOW)
  }

  #take({ recognizer, score }: { recognizer: number; score: number }, end: number, match: string): void {
    const place = this.#run.place
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
    if (place + to > this.#out) {
      this.#sink.cover(place + to - this.#out)
      this.#out = place + to
    }
    this.#lastEnds ??= new Map()
    this.#lastEnds.set(recognizer, this.#offset + end)
    this.#bounds.without ??= new MatchedPatterns()
    this.#bounds.without.add(recognizer, end, place)
    if (rest) {
      this.#open = { detection, rest, limit: end + rest.maxLength }
      this.#run.moveTo(end)
    } else {
      this.#run.moveTo(this.#buffer.after(place))
    }
  }

  /** Merges the matches of functions at `#run.place` into those of the patterns, by length. */
  #addFunctions(before: string): void {
    const { functions } = this.#machine
    const place = this.#run.place
    for (const { recognizer, maxLength, match, starts } of functions) {
      if (starts && !starts(this.#buffer.codePointAt(place))) continue
      const ahead = this.#buffer.text.slice(place, place + maxLength)
      const length = Math.min(match(ahead, before), ahead.length)
      if (!(length > 0)) continue
      let index = this.#run.ends.length
      while (index > 0 && (this.#run.ends[index - 1] as number) > place + length) index--
      this.#run.ends.splice(index, 0, place + length)
      this.#run.accepted.splice(index, 0, [recognizer])
    }
  }

  /** Continues an open-ended match. Returns true when its end is found. */
  #swallow(open: OpenMatch, final: boolean): boolean {
    const { rest } = open
    const length = this.#buffer.length
    const isLimited = length > open.limit || (final && length >= open.limit)
    const limit = isLimited ? this.#whole(open.limit) : length
    const whole = final || isLimited
    const ended = rest.while
      ? this.#swallowWhile(rest, limit, whole)
      : rest.repeats
        ? this.#swallowRepeated(rest, limit, whole)
        : this.#swallowUntil(rest, limit, whole)
    this.#flush(this.#run.place)
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
  }

  #swallowUntil({ automaton, reach }: CompiledRest, limit: number, final: boolean): boolean {
    const bounds = { maxLength: reach, length: limit, final, reachAt: undefined, without: undefined }
    while (this.#run.advance(automaton as Automaton, this.#buffer.units, bounds)) {
      const end = this.#run.ends.at(-1) as number
      if (end > this.#run.place) {
        this.#run.moveTo(end)
        return true
      }
      this.#run.moveTo(this.#buffer.after(this.#run.place))
    }
    return false
  }

  #swallowRepeated({ automaton, reach }: CompiledRest, length: number, final: boolean): boolean {
    const run = this.#run
    const bounds = { maxLength: reach, length, final, reachAt: undefined, without: undefined }
    while (run.matchHere(automaton as Automaton, this.#buffer.units, bounds)) {
      const end = run.ends.at(-1)
      if (end === undefined) {
        run.moveTo(run.place)
        return true
      }
      const isLast = run.accepted.at(-1)?.includes(LAST)
      run.moveTo(end)
      if (isLast) return true
    }
    return false
  }

  #swallowWhile(rest: CompiledRest, limit: number, whole: boolean): boolean {
    const matches = rest.while as NonNullable<CompiledRest['while']>
    let place = this.#run.place
    while (place < limit) {
      const codePoint = this.#buffer.codePointAt(place)
      if (!whole && place + 1 === limit && (codePoint & 0x1ffc00) === 0xd800) break
      if (!matches(codePoint)) {
        this.#run.moveTo(place)
        return true
      }
      place = this.#buffer.after(place)
    }
    this.#run.moveTo(Math.min(place, limit))
    return false
  }

  /** `place`, or the next position if it is within a surrogate pair. */
  #whole(place: number): number {
    return place > 0 && this.#buffer.codePointAt(place - 1) > 0xffff ? place + 1 : place
  }
}
