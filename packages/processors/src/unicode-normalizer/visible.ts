/** Emoji joined by hand, as Unicode recommends them, or by a selector: joiners, selectors and tags stay in them. */
const EMOJI = `(?=\\p{Emoji})(?:${[
  '\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?(?:\\u200d\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?)+',
  '\\p{RGI_Emoji}',
  '\\p{Extended_Pictographic}\\ufe0f',
].join('|')})`

const SCRIPTS_WITH_JOINERS = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]

/** A joiner or non-joiner where it belongs to the spelling: within words of scripts that use them. */
const JOINER = `(?<=[${SCRIPTS_WITH_JOINERS.map((script) => `\\p{Script=${script}}`).join('')}])[\\u200c\\u200d](?=\\p{L}|\\p{M})`

/** Format characters that are seen: signs written around Arabic and Kaithi numbers. */
const NUMBER_SIGN = '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]'

/** Zero-width, bidi and other format characters, selectors, fillers, and controls but white space. */
const INVISIBLE =
  '\\p{Cf}|\\p{Variation_Selector}|[\\u034f\\u115f\\u1160\\u3164\\uffa0]|[\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]'

const emoji = new RegExp(EMOJI, 'gv')
const invisible = new RegExp(`(${EMOJI}|${JOINER}|${NUMBER_SIGN})|(?:${INVISIBLE})`, 'gv')

/** The text without what is not seen. Emoji stay whole. */
export function removeInvisible(text: string): string {
  return text.replace(invisible, '$1')
}

/** Changes everything but emoji. */
export function aroundEmoji(text: string, change: (text: string) => string): string {
  let out = ''
  let start = 0
  for (const { 0: match, index } of text.matchAll(emoji)) {
    out += change(text.slice(start, index)) + match
    start = index + match.length
  }
  return out + change(text.slice(start))
}
