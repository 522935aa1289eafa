/** Words that attacks cannot do without, in English. */
const WORDS = [
  ...['ignore', 'ignoring', 'disregard', 'override', 'previous', 'instruction', 'instructions', 'directions'],
  ...['guidelines', 'restrictions', 'system', 'prompt', 'prompts', 'password', 'passphrase', 'secret'],
  ...['reveal', 'developer', 'assistant', 'confidential'],
]

/** In shorter words, a letter less is often another word. */
const LEAST_FOR_MISSING = 8

/** By the letters of a word in order, behind its first. */
const SWAPPED = new Map(WORDS.map((word) => [lettersOf(word), word]))

/** The words without one letter that is neither their first nor their last. */
const MISSING = new Map(
  WORDS.filter((word) => word.length >= LEAST_FOR_MISSING).flatMap((word) =>
    Array.from({ length: word.length - 2 }, (_, index) => [without(word, index + 1), word] as const),
  ),
)

const PLAIN = /^[a-z]{6,16}$/

/** The word that is meant where its letters are swapped, one is missing, or one is written twice; any other as it is. */
export function spelledOut(word: string): string {
  if (!PLAIN.test(word)) return word
  return SWAPPED.get(lettersOf(word)) ?? MISSING.get(word) ?? undoubled(word) ?? word
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
