/** A text goes round in circles once something has come this often in a row, and makes up this many UTF-16 units. */
const LEAST_TIMES = 20
const LEAST_LENGTH = 1_000
/** What comes again is looked for in so much of the end: something of up to 200 units. */
const TAIL_LENGTH = 4_096
/** Looking takes time in proportion to the tail, so it is done once in a while. */
const INTERVAL = 1_024

/** The end of a text that arrives in pieces, watched for something that comes over and over. */
export class RepeatedText {
  #tail = ''
  #unseen = 0

  /** Takes the next piece. Returns how often the same has come by its end, once that is too often. */
  push(piece: string): number | undefined {
    this.#tail += piece
    this.#unseen += piece.length
    if (this.#unseen < INTERVAL || this.#tail.length < LEAST_LENGTH) return undefined
    this.#unseen = 0
    this.#tail = this.#tail.slice(-TAIL_LENGTH)
    return timesAtEnd(this.#tail)
  }
}

/**
 * How often the end of a text has come in a row. By the prefix function of Knuth, Morris and Pratt over the text read
 * backwards, whose value at a length says what the period of that much of the end is.
 */
function timesAtEnd(text: string): number | undefined {
  const { length } = text
  const at = (index: number): number => text.charCodeAt(length - 1 - index)
  const borders = new Uint16Array(length)
  for (let index = 1, border = 0; index < length; index++) {
    while (border > 0 && at(index) !== at(border)) border = borders[border - 1] as number
    if (at(index) === at(border)) border++
    borders[index] = border
  }
  // The period grows with the length, and most lengths have the same.
  let period = 0
  let isSpeech = false
  let most = 0
  for (let size = LEAST_LENGTH; size <= length; size++) {
    const periodHere = size - (borders[size - 1] as number)
    if (periodHere * LEAST_TIMES > length) break
    if (periodHere !== period) {
      period = periodHere
      isSpeech = saysSomething(text.slice(-period))
    }
    if (isSpeech) most = Math.max(most, Math.floor(size / period))
  }
  return most >= LEAST_TIMES ? most : undefined
}

/** Rules, empty cells and rows of zeros are no speech: it takes three different letters. */
function saysSomething(unit: string): boolean {
  return new Set(unit.toLowerCase().match(/\p{L}/gu)).size >= 3
}
