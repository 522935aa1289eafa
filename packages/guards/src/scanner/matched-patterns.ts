const NONE: readonly number[] = []

/** The maximum number of excluded patterns. */
const MOST = 8

/**
 * The patterns whose last match reaches beyond the current position: they must not begin within it. Positions are
 * relative to the buffer of the scan.
 */
export class MatchedPatterns {
  /** The position up to which the list stays the same. */
  until: number = Number.POSITIVE_INFINITY
  /** Pattern numbers, in ascending order. */
  patterns: readonly number[] = []
  /** Identifies the list; empty for an empty list. */
  key = ''
  readonly #ends = new Map<number, number>()

  /** Records a match of a pattern that ends at `end`. */
  add(pattern: number, end: number, place: number): void {
    this.#ends.set(pattern, end)
    this.moveTo(place)
  }

  /** Removes the patterns whose match ends at or before `place`. */
  moveTo(place: number): void {
    const { patterns } = this
    let until = Number.POSITIVE_INFINITY
    let isSame = true
    for (const [pattern, end] of this.#ends) {
      if (end <= place || this.#ends.size > MOST) this.#ends.delete(pattern)
      else until = Math.min(until, end)
      isSame &&= end > place && patterns.includes(pattern)
    }
    this.until = until
    if (isSame && this.#ends.size === patterns.length) return
    this.patterns = this.#ends.size === 0 ? NONE : [...this.#ends.keys()].sort((one, other) => one - other)
    this.key = this.patterns.join()
  }

  /** The first `length` units were removed from the buffer. */
  shift(length: number): void {
    if (this.#ends.size === 0) return
    this.until -= length
    for (const [pattern, end] of this.#ends) this.#ends.set(pattern, end - length)
  }
}
