/** The number of buckets features are hashed into. */
export const BUCKETS: number = 2 ** 18

const MASK = BUCKETS - 1
const PRIME = 0x01000193
const WORD_SEED = 0x811c9dc5
const PAIR_SEED = 0x2c1b3c6d
const SKIP_SEED = 0x297a2d39
const TRIPLE_SEED = 0x7feb352d
const PIECE_SEED = 0x165667b1

/** Of longer words only the beginning counts, so that a word takes a bounded time. */
const LONGEST = 24

/**
 * Calls `take` with the bucket of each feature that a word adds to a text: the word, with its neighbours before it, and
 * its pieces of three to five characters.
 */
export function forEachFeature(
  words: readonly string[],
  place: number,
  take: (bucket: number) => void,
): void {
  const word = (words[place] as string).slice(0, LONGEST)
  const own = hash(word, WORD_SEED)
  const before = place > 0 ? hash((words[place - 1] as string).slice(0, LONGEST), WORD_SEED) : 0x5bd1e995
  const second = place > 1 ? hash((words[place - 2] as string).slice(0, LONGEST), WORD_SEED) : 0x1b873593
  take(bucketOf(own))
  take(bucketOf(mix(mix(PAIR_SEED, before), own)))
  take(bucketOf(mix(mix(SKIP_SEED, second), own)))
  take(bucketOf(mix(mix(mix(TRIPLE_SEED, second), before), own)))
  const padded = `<${word}>`
  for (let start = 0; start + 3 <= padded.length; start++) {
    let value = PIECE_SEED
    const end = Math.min(padded.length, start + 5)
    for (let index = start; index < end; index++) {
      value = Math.imul(value ^ padded.charCodeAt(index), PRIME)
      if (index >= start + 2) take(bucketOf(value))
    }
  }
}

/** How many features a word has. */
export function featureCount(word: string): number {
  const length = Math.min(word.length, LONGEST) + 2
  return 4 + Math.max(0, length - 2) + Math.max(0, length - 3) + Math.max(0, length - 4)
}

function hash(text: string, seed: number): number {
  let value = seed
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), PRIME)
  return value
}

function mix(value: number, other: number): number {
  return Math.imul((value ^ other) + 0x9e3779b9, 0x85ebca6b) ^ (value >>> 15)
}

function bucketOf(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) & MASK
}
