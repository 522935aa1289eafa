/** The minimum number of consecutive repetitions, and their minimum total length in UTF-16 units. */
const MIN_REPETITIONS = 20
const MIN_LENGTH = 1_000
/** The end of the text that is searched: it finds repetitions of up to 200 units. */
const TAIL_LENGTH = 4_096
/** How much text arrives between two searches. The cost of a search is linear in the tail. */
const INTERVAL = 1_024

/** Watches a text that arrives in chunks for a passage that repeats at its end. */
export class RepeatedText {
  #tail = ''
  #unseen = 0

  /** Takes the next chunk. Returns the number of repetitions once there are too many. */
  push(piece: string): number | undefined {
    this.#tail += piece
    this.#unseen += piece.length
    if (this.#unseen < INTERVAL || this.#tail.length < MIN_LENGTH) return undefined
    this.#unseen = 0
    this.#tail = this.#tail.slice(-TAIL_LENGTH)
    return repetitionsAtEnd(this.#tail)
  }
}

/**
 * The number of consecutive repetitions at the end of a text. Uses the prefix function of Knuth, Morris and Pratt on
 * the reversed text, which gives the period of every suffix.
 */
function repetitionsAtEnd(text: string): number | undefined {
  const { length } = text
  const at = (index: number): number => text.charCodeAt(length - 1 - index)
  const borders = new Uint16Array(length)
  for (let index = 1, border = 0; index < length; index++) {
    while (border > 0 && at(index) !== at(border)) border = borders[border - 1] as number
    if (at(index) === at(border)) border++
    borders[index] = border
  }
  // The period grows with the length of the suffix, and is the same for most lengths.
  let period = 0
  let isLanguageHere = false
  let most = 0
  for (let size = MIN_LENGTH; size <= length; size++) {
    const ownPeriod = size - (borders[size - 1] as number)
    if (ownPeriod * MIN_REPETITIONS > length) break
    if (ownPeriod !== period) {
      period = ownPeriod
      isLanguageHere = isLanguage(text.slice(-period))
    }
    if (isLanguageHere) most = Math.max(most, Math.floor(size / period))
  }
  return most >= MIN_REPETITIONS ? most : undefined
}

/** Whether a unit is language: lines, empty cells and rows of zeros have fewer than three different letters. */
function isLanguage(unit: string): boolean {
  return new Set(unit.toLowerCase().match(/\p{L}/gu)).size >= 3
}
