/** Digits and the letters they look like, and letters that look like each other. */
const LOOK_ALIKE: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  l: 'i',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
}

const FOLDED = new Uint8Array(128).map((_, code) => code)
for (const [from, to] of Object.entries(LOOK_ALIKE)) FOLDED[from.charCodeAt(0)] = to.charCodeAt(0)

/**
 * Folds look-alikes: `l` and `1` become `i`, `0` becomes `o`. Applied to texts and indexes, so that leetspeak makes no
 * difference.
 */
export function foldLeet(letter: number): number {
  return letter < 128 ? (FOLDED[letter] as number) : letter
}

const EURO = 0x20ac
const SIGNS: (number | undefined)[] = new Array(128).fill(undefined)
for (const [sign, letter] of Object.entries({ '@': 'a', $: 's', '!': 'i' })) {
  SIGNS[sign.charCodeAt(0)] = letter.charCodeAt(0)
}

/** The letter that a sign may stand for, or undefined. */
export function leetSign(codePoint: number): number | undefined {
  return codePoint < 128 ? SIGNS[codePoint] : codePoint === EURO ? 0x65 : undefined
}
