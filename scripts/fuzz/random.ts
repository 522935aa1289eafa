/** A pseudorandom number generator with a seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer from 0 to 2³² - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** An integer from 0 to `end`, exclusive. */
  below(end: number): number {
    return Math.floor((this.next() / 2 ** 32) * end)
  }

  chance(probability: number): boolean {
    return this.next() / 2 ** 32 < probability
  }

  /** The list must not be empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}
