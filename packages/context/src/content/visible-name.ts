const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const MAX_LENGTH = 300

/**
 * Makes a name safe to show on one line of a prompt: invisible characters, such as line breaks and marks that
 * change the writing direction, are escaped (`\u{a}`), and a long name is cut.
 */
export function visibleName(name: string): string {
  const visible = name.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return visible.length <= MAX_LENGTH ? visible : `${visible.slice(0, MAX_LENGTH).toWellFormed()}…`
}
