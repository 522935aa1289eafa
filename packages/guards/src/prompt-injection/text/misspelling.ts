/** English words that most attacks contain. */
const WORDS = [
  ...['ignore', 'ignoring', 'disregard', 'override', 'previous', 'instruction', 'instructions', 'directions'],
  ...['guidelines', 'restrictions', 'system', 'prompt', 'prompts', 'password', 'passphrase', 'secret'],
  ...['reveal', 'developer', 'assistant', 'confidential'],
]

/** In shorter words, removing a letter often gives another word. */
const LEAST_FOR_MISSING = 8

/** The words by their first letter and their other letters, sorted. */
const SWAPPED = new Map(WORDS.map((word) => [lettersOf(word), word]))

/** A number that words with the same letters share: most words differ from all others in it, and are not sorted. */
function sumOf(word: string): number {
  let sum = 0
  for (let place = 0; place < word.length; place++) sum += word.charCodeAt(place)
  return sum
}

const SUMS = new Set(WORDS.map(sumOf))

/** The words by their form without one letter, which is neither the first nor the last. */
const MISSING = new Map(
  WORDS.filter((word) => word.length >= LEAST_FOR_MISSING).flatMap((word) =>
    Array.from({ length: word.length - 2 }, (_, index) => [without(word, index + 1), word] as const),
  ),
)

const PLAIN = /^[a-z]{6,16}$/

/** Corrects a known word with swapped letters, a missing letter or a doubled letter; any other word is unchanged. */
export function spelledOut(word: string): string {
  if (!PLAIN.test(word)) return word
  const swapped = SUMS.has(sumOf(word)) ? SWAPPED.get(lettersOf(word)) : undefined
  return swapped ?? MISSING.get(word) ?? undoubled(word) ?? word
}

function undoubled(word: string): string | undefined {
  for (let place = 1; place < word.length; place++) {
    if (word[place] !== word[place - 1]) continue
    const shorter = without(word, place)
    if (WORDS.includes(shorter)) return shorter
  }
  return undefined
}

function lettersOf(word: string): string {
  return word[0] + Array.from(word.slice(1)).sort().join('')
}

function without(word: string, place: number): string {
  return word.slice(0, place) + word.slice(place + 1)
}
