/** The number of hash buckets of the features, in the model of one kind of text. */
export const BUCKETS: number = 2 ** 19

const MASK = BUCKETS - 1
const PRIME = 0x01000193
const WORD_SEED = 0x811c9dc5
const PAIR_SEED = 0x2c1b3c6d
const SKIP_SEED = 0x297a2d39
const PIECE_SEED = 0x165667b1
const BEGIN_SEED = 0x51ed270b
const SECOND_SEED = 0x3c6ef372
const CONCEPT_SEED = 0x1d872b41
const CONCEPTS_SEED = 0x6a09e667
const ORDERED_SEED = 0x510e527f

/** The markers before and after a word: < and >. */
const FIRST = 0x3c
const LAST = 0x3e

/** The hashes for the missing words before the first word: the previous one, and the one before that. */
const BEFORE = 0x5bd1e995
const BEFORE_THAT = 0x1b873593

/** Only the beginning of longer words is hashed, so that the cost per word is bounded. */
const LONGEST = 24

/** A text as input of the classifier. */
export interface Words {
  readonly words: readonly string[]
  /** Whether a sentence, a line or a cell begins with the word. */
  readonly begins: readonly boolean[]
  /** The concept of each word; 0 if it has none. */
  readonly concepts: readonly number[]
}

/**
 * Calls `take` with the buckets of a word in its context: the word, its pairs with each of the two words before, and whether
 * it is the first or second word of a sentence. `hashes` are those of all words. Returns the number of features.
 */
export function forEachWordFeature(
  { begins }: Words,
  { place, hashes }: { place: number; hashes: Int32Array },
  take: (bucket: number) => void,
): number {
  const own = hashes[place] as number
  const before = place > 0 ? (hashes[place - 1] as number) : BEFORE
  const second = place > 1 ? (hashes[place - 2] as number) : BEFORE_THAT
  const pair = mix(mix(PAIR_SEED, before), own)
  take(bucketOf(own))
  take(bucketOf(pair))
  take(bucketOf(mix(mix(SKIP_SEED, second), own)))
  let count = 3
  if (begins[place]) {
    take(bucketOf(mix(BEGIN_SEED, own)))
    count++
  }
  if (place > 0 && begins[place - 1]) {
    take(bucketOf(mix(SECOND_SEED, pair)))
    count++
  }
  return count
}

/** With how many previous concepts a concept is paired, and their maximum distance in words. */
const BACK = 4
const FAR = 14

/** The positions of the last concepts, newest first. */
export interface RecentConcepts {
  readonly places: number[]
}

/**
 * Calls `take` with the buckets of a word's concept: by itself, at the beginning of a sentence, and in pairs with the
 * concepts before it; the pair with the last one is also hashed in order. All languages share these features. Must be
 * called for each word in order. Returns the number of features.
 */
export function forEachConceptFeature(
  { concepts, begins }: Words,
  { place, recent }: { place: number; recent: RecentConcepts },
  take: (bucket: number) => void,
): number {
  const own = concepts[place] as number
  if (own === 0) return 0
  take(bucketOf(mix(CONCEPT_SEED, own)))
  let count = 1
  if (begins[place]) {
    take(bucketOf(mix(CONCEPT_SEED, own + 0x1000)))
    count++
  }
  const { places } = recent
  for (let index = 0; index < places.length; index++) {
    const before = places[index] as number
    if (place - before > FAR) break
    const other = concepts[before] as number
    take(bucketOf(mix(mix(CONCEPTS_SEED, Math.min(own, other)), Math.max(own, other))))
    count++
    if (index > 0) continue
    take(bucketOf(mix(mix(ORDERED_SEED, other), own)))
    count++
  }
  places.unshift(place)
  if (places.length > BACK) places.pop()
  return count
}

/**
 * Calls `take` with the buckets of a word's character n-grams, of three to five characters including the markers of its
 * edges. Returns the number of features.
 */
export function forEachPiece(word: string, take: (bucket: number) => void): number {
  const length = Math.min(word.length, LONGEST) + 2
  let count = 0
  for (let start = 0; start + 3 <= length; start++) {
    let value = PIECE_SEED
    const end = Math.min(length, start + 5)
    for (let index = start; index < end; index++) {
      const code = index === 0 ? FIRST : index === length - 1 ? LAST : word.charCodeAt(index - 1)
      value = Math.imul(value ^ code, PRIME)
      if (index < start + 2) continue
      take(bucketOf(value))
      count++
    }
  }
  return count
}

export function hashWord(word: string): number {
  let value = WORD_SEED
  const length = Math.min(word.length, LONGEST)
  for (let index = 0; index < length; index++) value = Math.imul(value ^ word.charCodeAt(index), PRIME)
  return value
}

function mix(value: number, other: number): number {
  return Math.imul((value ^ other) + 0x9e3779b9, 0x85ebca6b) ^ (value >>> 15)
}

function bucketOf(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) & MASK
}
