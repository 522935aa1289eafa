const CONSONANTS = 'bdfgklmnprstvz'
const VOWELS = 'aeiou'
const SYLLABLES = 8

/** Creates a random word, such as `zorifukamelatupi`. With about 49 random bits, it occurs in no text by chance. */
export function canaryWord(): string {
  let word = ''
  for (const number of crypto.getRandomValues(new Uint32Array(SYLLABLES))) {
    word += CONSONANTS[number % CONSONANTS.length]
    word += VOWELS[Math.floor(number / CONSONANTS.length) % VOWELS.length]
  }
  return word
}

/** The line with the canary word that is added to the instructions. */
export function canaryLine(word: string): string {
  return `Internal marker, never to be written in any form: ${word}`
}
