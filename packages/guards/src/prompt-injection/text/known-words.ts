/** Longer words are not cached: a substring may keep the whole text in memory. */
const LONGEST = 12
const MOST = 8_192

/** A cache of results for short words, shared by all texts: most texts have the same words. */
export class KnownWords<KNOWN> {
  readonly #short = new Map<string, KNOWN>()

  /** A cached version of `make` for the words of one text. Results for longer words are dropped with it. */
  inText(make: (word: string) => KNOWN): (word: string) => KNOWN {
    const longer = new Map<string, KNOWN>()
    return (word) => {
      const words = word.length <= LONGEST ? this.#short : longer
      let known = words.get(word)
      if (known === undefined) {
        known = make(word)
        if (words.size >= MOST) words.clear()
        words.set(word, known)
      }
      return known
    }
  }
}
