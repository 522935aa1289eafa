/** Longer words are not cached: a substring may keep the whole text in memory. */
const LONGEST = 12
/** The maximum number of short words in each of two generations. */
const MOST = 16_384

/** A cache of results for short words, shared by all texts: most texts have the same words. */
export class KnownWords<KNOWN> {
  #short = new Map<string, KNOWN>()
  /** The previous generation. Its words that are used again move to the current one. */
  #before = new Map<string, KNOWN>()

  /** A cached version of `make` for the words of one text. Results for longer words are dropped with it. */
  inText(make: (word: string) => KNOWN): (word: string) => KNOWN {
    const longer = new Map<string, KNOWN>()
    return (word) => {
      if (word.length <= LONGEST) return this.#short.get(word) ?? this.#add(word, make)
      let known = longer.get(word)
      if (known === undefined) {
        known = make(word)
        if (longer.size >= MOST) longer.clear()
        longer.set(word, known)
      }
      return known
    }
  }

  #add(word: string, make: (word: string) => KNOWN): KNOWN {
    const known = this.#before.get(word) ?? make(word)
    if (this.#short.size >= MOST) {
      this.#before = this.#short
      this.#short = new Map()
    }
    this.#short.set(word, known)
    return known
  }
}
