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

const SIGNS: ReadonlyMap<number, number> = new Map(
  Object.entries({ '@': 'a', $: 's', '!': 'i', '€': 'e' }).map(([sign, letter]) => [
    sign.charCodeAt(0),
    letter.charCodeAt(0),
  ]),
)

/** The letter that a sign may stand for, or undefined. */
export function leetSign(codePoint: number): number | undefined {
  return SIGNS.get(codePoint)
}
