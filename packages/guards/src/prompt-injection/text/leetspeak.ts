const LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '+': 't',
}

const SIGN = /[013-578@$!|+]/g

/** Words of letters and leetspeak signs. */
const WORDS = /[a-z0-9@$!|+]+/g

/** A sign between letters, or before them, that stands for a letter. */
const SPELLED = /[a-z][013-578@$!|+]{1,3}[a-z]|(?<![a-z0-9@$!|+])[013-578@$!|+]{1,2}[a-z]{2}/

/**
 * Replaces leetspeak signs by letters in words that use them; all other words are unchanged. A `1` may be an I or an L:
 * `isKnown` decides.
 */
export function readLeetspeak(text: string, isKnown: (word: string) => boolean): string {
  if (!SPELLED.test(text)) return text
  return text.replace(WORDS, (word) =>
    word.length <= 32 && SPELLED.test(word) ? readWord(word, isKnown) : word,
  )
}

function readWord(word: string, isKnown: (word: string) => boolean): string {
  const trimmed = word.replace(/[!+|]+$/, '')
  const read = trimmed.replace(SIGN, (sign) => LETTERS[sign] ?? sign)
  if (isKnown(read)) return read
  const other = trimmed.replace(SIGN, (sign) => (sign === '1' ? 'l' : (LETTERS[sign] ?? sign)))
  if (isKnown(other)) return other
  // The marker of a diff line or of a table cell.
  const marked = /^[+|]+(?=[a-z])/.exec(trimmed)
  return marked ? readLeetspeak(trimmed.slice(marked[0].length), isKnown) : read
}
