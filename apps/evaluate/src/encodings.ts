/** Encodings that hide a text from a word search, by name. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'percent escapes': (text) =>
    bytes(text, 16, 2)
      .map((byte) => `%${byte}`)
      .join(''),
  'HTML entities': (text) => Array.from(text, (character) => `&#${character.codePointAt(0)};`).join(''),
  '\\u escapes': (text) => Array.from(text, (_, at) => `\\u${hex(text.charCodeAt(at))}`).join(''),
  'character codes': (text) => bytes(text, 10, 1).join(' '),
  binary: (text) => bytes(text, 2, 8).join(' '),
  leetspeak: (text) => text.replace(/[aeiost]/g, (letter) => LEET[letter] ?? letter),
  reversed: (text) => [...text].toReversed().join(''),
  ROT13: (text) => text.replace(/[a-z]/gi, rotated),
  'Morse code': (text) =>
    words(text)
      .map((word) => Array.from(word, morse).join(' '))
      .join(' / '),
}

const LEET: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7' }

const MORSE = new Map(
  'a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- y-.-- z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----.'
    .split(' ')
    .map((each) => [each.charAt(0), each.slice(1)]),
)

function morse(letter: string): string {
  return MORSE.get(letter) ?? ''
}

function words(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.match(/[a-z0-9]+/g) ?? []
}

function rotated(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
}

function bytes(text: string, radix: number, digits: number): string[] {
  return Array.from(Buffer.from(text), (byte) => byte.toString(radix).padStart(digits, '0'))
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0')
}
