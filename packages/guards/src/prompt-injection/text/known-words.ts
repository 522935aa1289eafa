/** Longer words are not remembered: a slice of a text may keep the whole text in memory. */
const LONGEST = 12
const MOST = 8_192

/** What is known of short words, from text to text: most texts are made of the same. */
export class KnownWords<KNOWN> {
  readonly #short = new Map<string, KNOWN>()

  /** For the words of one text; what is known of longer ones goes with it. */
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
