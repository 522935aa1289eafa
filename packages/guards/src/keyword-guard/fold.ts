/**
 * Folds a text for comparison with keywords: compatibility forms are decomposed (NFKD), case is folded (`ß` becomes
 * `ss`), white space becomes a single space, and invisible characters are removed, see {@link IGNORED}.
 */
export function fold(text: string): string {
  let folded = text
  if (NOT_ASCII.test(text)) {
    // Character by character: the folded form must not depend on neighbors, unlike the Greek final sigma.
    folded = text.replace(CHARACTERS, (part) =>
      part < FIRST_NOT_ASCII ? part.toLowerCase() : foldCharacter(part),
    )
    folded = folded.replace(IGNORED, '')
  } else {
    folded = text.toLowerCase()
    if (CONTROLS.test(folded)) folded = folded.replace(CONTROLS_EVERYWHERE, '')
  }
  return SPACES.test(folded) ? folded.replace(/\s+/g, ' ') : folded
}

const FIRST_NOT_ASCII = '\u0080'
const NOT_ASCII = /[^\0-\x7f]/
/** Runs of ASCII, or one other character. */
const CHARACTERS = /[\0-\x7f]+|[^\0-\x7f]/gu
/** White space other than a single space. */
const SPACES = /\s\s|[^\S ]/

const known = new Map<string, string>()
const MOST_KNOWN = 20_000

function foldCharacter(character: string): string {
  let folded = known.get(character)
  if (folded === undefined) {
    folded = character.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD')
    if (known.size < MOST_KNOWN) known.set(character, folded)
  }
  return folded
}

/**
 * Characters that are ignored: format characters (zero-width, bidi, soft hyphens), variation selectors, strokes
 * overlaid on letters, and control characters except white space.
 */
const IGNORED =
  /\p{Cf}|\p{Variation_Selector}|\u034f|[\u0334-\u0338]|[\u115f\u1160\u3164\uffa0]|(?!\s)\p{Cc}/gu
/** The ignored characters of ASCII. */
const CONTROLS = /(?!\s)\p{Cc}/u
const CONTROLS_EVERYWHERE = new RegExp(CONTROLS, 'gu')

/** Whether a character is ignored. */
export function isIgnored(codePoint: number): boolean {
  return codePoint > 0x7f || codePoint < 0x20 || codePoint === 0x7f
    ? fold(String.fromCodePoint(codePoint)) === ''
    : false
}

/** Ranges of single characters that fold to several: ligatures, digraphs, letter-like symbols and squared words. */
const COMPOUND_RANGES: readonly (readonly [number, number])[] = [
  [0xdf, 0xdf],
  [0x132, 0x149],
  [0x1c4, 0x1f3],
  [0x1e9a, 0x1e9e],
  [0x2100, 0x2188],
  [0x2474, 0x24e9],
  [0x3200, 0x33ff],
  [0xfb00, 0xfb17],
  [0x1f100, 0x1f19a],
]

let compounds: ReadonlySet<string> | undefined

/** The folded forms of more than one character that a single character may have. */
export function compoundFolds(): ReadonlySet<string> {
  if (compounds) return compounds
  const found = new Set<string>()
  for (const [first, last] of COMPOUND_RANGES) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      const folded = fold(String.fromCodePoint(codePoint))
      if ([...folded].length > 1) found.add(folded)
    }
  }
  compounds = found
  return found
}
