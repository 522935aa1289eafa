const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const LONGEST = 300

/**
 * A name as it can be shown in a line of a prompt: what does not show, such as a newline or a mark that reverses the
 * direction of writing, is escaped (`\u{a}`), and a very long name is cut.
 */
export function visibleName(name: string): string {
  const visible = name.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
  return visible.length <= LONGEST ? visible : `${visible.slice(0, LONGEST).toWellFormed()}…`
}
