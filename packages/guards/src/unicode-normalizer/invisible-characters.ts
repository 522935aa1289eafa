/**
 * Emoji that removing invisible characters or NFKC would change: joined sequences that Unicode recommends, keycaps,
 * regional flags, single emoji with and without a selector. The Unicode property of all recommended emoji would also
 * work, but takes a hundred times longer: it is a list of thousands.
 */
const EMOJI = [
  '\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?(?:\\u200d\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?)+',
  '[0-9#*]\\ufe0f\\u20e3',
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
  '\\p{Emoji_Presentation}|\\p{Extended_Pictographic}\\ufe0f',
].join('|')

const SCRIPTS_WITH_JOINERS = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]

/** A joiner or non-joiner that is part of the spelling: within words of scripts that use them. */
const JOINER = `(?<=[${SCRIPTS_WITH_JOINERS.map((script) => `\\p{Script=${script}}`).join('')}])[\\u200c\\u200d](?=\\p{L}|\\p{M})`

/** Visible format characters: signs around Arabic and Kaithi numbers. */
const NUMBER_SIGN = '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]'

/** Zero-width, bidi and other format characters, selectors, fillers, and controls except white space. */
const INVISIBLE =
  '[\\p{Cf}\\p{Variation_Selector}\\u034f\\u115f\\u1160\\u3164\\uffa0\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]'

const emoji = new RegExp(EMOJI, 'gu')
const someEmoji = /[\p{Extended_Pictographic}\p{Emoji_Presentation}]|\u20e3/u
const invisible = new RegExp(`(${EMOJI}|${JOINER}|${NUMBER_SIGN})|${INVISIBLE}`, 'gu')
const someInvisible = new RegExp(INVISIBLE, 'u')

/** Removes invisible characters. Emoji are preserved. */
export function removeInvisible(text: string): string {
  return someInvisible.test(text) ? text.replace(invisible, '$1') : text
}

/** Applies a change to everything except emoji. */
export function aroundEmoji(text: string, change: (text: string) => string): string {
  if (!someEmoji.test(text)) return change(text)
  let out = ''
  let start = 0
  for (const { 0: match, index } of text.matchAll(emoji)) {
    if (index > start) out += change(text.slice(start, index))
    out += match
    start = index + match.length
  }
  return start < text.length ? out + change(text.slice(start)) : out
}
