/** A text is decoded as reversed or ROT13 if it has two of these words in that form. */
const TELLING = [
  'ignore',
  'previous',
  'instructions',
  'instruction',
  'prompt',
  'system',
  'disregard',
  'password',
  'reveal',
  'rules',
  'secret',
  'your',
  'the',
  'and',
  'all',
  'forget',
]

export const REVERSED: readonly string[] = TELLING.map(reverse)
export const SHIFTED: readonly string[] = TELLING.map(rot13)

export function rot13(text: string): string {
  return text.replace(/[a-zA-Z]/g, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

export function reverse(text: string): string {
  return Array.from(text).reverse().join('')
}
