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

/** Words of letters and signs for them. */
const WORDS = /[a-z0-9@$!|+]+/g

/** A sign for a letter between letters, or before them. */
const SPELLED = /[a-z][013-578@$!|+]{1,3}[a-z]|(?<![a-z0-9@$!|+])[013-578@$!|+]{1,2}[a-z]{2}/

/**
 * Words whose digits and signs stand for letters, with those letters; any others as they are. A `1` may be an I or an L:
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
  // The mark of a changed line, or of a cell.
  const marked = /^[+|]+(?=[a-z])/.exec(trimmed)
  return marked ? readLeetspeak(trimmed.slice(marked[0].length), isKnown) : read
}
