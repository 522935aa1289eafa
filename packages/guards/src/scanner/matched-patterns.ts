const NONE: readonly number[] = []

/** More are not left out at the same time. */
const MOST = 8

/**
 * The patterns whose last match reaches beyond a place: none of them begins within it. Places are counted in the buffer of a
 * scan.
 */
export class MatchedPatterns {
  /** Up to this place they are the same. */
  until: number = Number.POSITIVE_INFINITY
  /** In order. */
  patterns: readonly number[] = []
  /** The same for the same patterns; empty for none. */
  key = ''
  readonly #ends = new Map<number, number>()

  /** A pattern has matched, up to `end`. */
  add(pattern: number, end: number, place: number): void {
    this.#ends.set(pattern, end)
    this.moveTo(place)
  }

  /** Leaves those out whose match ends before the place. */
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

  /** The first `length` units of the buffer are gone. */
  shift(length: number): void {
    if (this.#ends.size === 0) return
    this.until -= length
    for (const [pattern, end] of this.#ends) this.#ends.set(pattern, end - length)
  }
}
