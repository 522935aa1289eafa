const CONSONANTS = 'bdfgklmnprstvz'
const VOWELS = 'aeiou'
const SYLLABLES = 8

/** A word that no text has by chance, some 49 bits of it random: `zorifukamelatupi`. */
export function canaryWord(): string {
  let word = ''
  for (const number of crypto.getRandomValues(new Uint32Array(SYLLABLES))) {
    word += CONSONANTS[number % CONSONANTS.length]
    word += VOWELS[Math.floor(number / CONSONANTS.length) % VOWELS.length]
  }
  return word
}

/** What the instructions say about it. */
export function canaryLine(word: string): string {
  return `Internal marker, never to be written in any form: ${word}`
}
