/** The maximum and minimum number of letters of an n-gram. Shorter n-grams occur in too many texts. */
const MOST_LETTERS = 11
const LEAST_LETTERS = 4
const HASH_BITS = 32

/** Bits of the Bloom filter per n-gram. Each n-gram sets two of them. */
const SPARSENESS = 24

/** Bits of a letter in the trigram table. Some letters have the same bits. */
const SMALL_BITS = 5
const SMALL = 2 ** SMALL_BITS - 1

/** A Bloom filter of the letter n-grams of texts. Lookups may return false positives, but no false negatives. */
export class LetterGrams {
  /** The number of letters of an n-gram. */
  readonly length: number
  /** Bits by which the rolling hash is shifted for each letter: see {@link next}. */
  readonly #shift: number
  readonly #table: Uint32Array
  readonly #tableShift: number
  readonly #trigrams: Uint32Array = new Uint32Array(2 ** (3 * SMALL_BITS - 5))

  private constructor(texts: Iterable<readonly number[]>, shift: number) {
    this.#shift = shift
    this.length = Math.ceil(HASH_BITS / shift)
    const grams: number[] = []
    for (const letters of texts) {
      let gram = 0
      for (const [index, letter] of letters.entries()) {
        gram = this.next(gram, letter)
        if (index >= this.length - 1) grams.push(gram)
        if (index < 2) continue
        set(this.#trigrams, trigramOf(letters[index - 2] as number, letters[index - 1] as number, letter))
      }
    }
    const size = Math.max(10, Math.ceil(Math.log2(Math.max(1, grams.length) * SPARSENESS)))
    this.#tableShift = HASH_BITS - size
    this.#table = new Uint32Array(2 ** (size - 5))
    for (const gram of grams) {
      set(this.#table, this.#first(gram))
      set(this.#table, this.#second(gram))
    }
  }

  /**
   * Creates the filter; undefined if phrases are too short for n-grams.
   *
   * @param shortest The minimum number of letters of a phrase
   */
  static of(texts: Iterable<readonly number[]>, shortest: number): LetterGrams | undefined {
    const length = Math.min(shortest, MOST_LETTERS)
    return length < LEAST_LETTERS ? undefined : new LetterGrams(texts, Math.ceil(HASH_BITS / length))
  }

  /** Adds a letter to the rolling hash, which begins with 0. Letters before the n-gram are shifted out. */
  next(gram: number, letter: number): number {
    return ((gram << this.#shift) + hashOf(letter)) | 0
  }

  has(gram: number): boolean {
    return isSet(this.#table, this.#first(gram)) && isSet(this.#table, this.#second(gram))
  }

  hasTrigram(first: number, second: number, third: number): boolean {
    return isSet(this.#trigrams, trigramOf(first, second, third))
  }

  #first(gram: number): number {
    return Math.imul(gram, 0x9e3779b1) >>> this.#tableShift
  }

  #second(gram: number): number {
    return Math.imul(gram ^ (gram >>> 15), 0x85ebca6b) >>> this.#tableShift
  }
}

/** The hash of a letter. Its low bits must differ between letters: the shift keeps only those of older letters. */
function hashOf(letter: number): number {
  return letter < 128 ? (HASHES[letter] as number) : mixed(letter)
}

function mixed(letter: number): number {
  const hash = Math.imul(letter, 0x9e3779b1)
  return hash ^ (hash >>> 15)
}

const HASHES = new Int32Array(128).map((_, letter) => mixed(letter))

function trigramOf(first: number, second: number, third: number): number {
  return (small(first) << (2 * SMALL_BITS)) | (small(second) << SMALL_BITS) | small(third)
}

function small(letter: number): number {
  return (letter ^ (letter >>> SMALL_BITS)) & SMALL
}

function set(table: Uint32Array, place: number): void {
  table[place >>> 5] = (table[place >>> 5] as number) | (1 << (place & 31))
}

function isSet(table: Uint32Array, place: number): boolean {
  return (((table[place >>> 5] as number) >>> (place & 31)) & 1) === 1
}
