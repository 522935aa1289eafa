/** A set of characters, by code point. Two sets with the same key have the same members. */
export interface CharacterSet {
  readonly key: string
  readonly has: (codePoint: number) => boolean
  /** UTF-16 units of its longest member: 1, or 2 if it may contain characters outside the basic plane. */
  readonly maxUnits: 1 | 2
}

/**
 * Characters of ASCII, or a class of them and of their ranges, digits and word characters: most sets. Without `u`, no other
 * character is one of them in whatever case (ECMA-262, Canonicalize).
 */
const ASCII_ONLY =
  /^(?:[ -\-/-Z_-~]|\\[dw^$.*+?()[\]{}|/\\-]|\[(?!\^)(?:[ -Z^-~]|\\[dw^$.*+?()[\]{}|/\\-])*\])$/

/** The patterns of a scanner have few different sets, and so have all scanners of a process. */
const known = new Map<string, CharacterSet>()
const MOST_KNOWN = 2_000

/** The set that an atom of a regular expression stands for: a character, a class, an escape, or `.`. */
export function setFromSource(source: string, flags: string): CharacterSet {
  const key = `${flags}/${source}`
  const found = known.get(key)
  if (found) return found
  const set = compileSet(source, flags)
  if (known.size < MOST_KNOWN) known.set(key, set)
  return set
}

/** A character of ASCII that stands for itself, escaped or not. */
const SINGLE = /^(?:[\w ,:;=@#%&'"<>!~`-]|\\[$.*+?()[\]{}|/\\^-])$/

/**
 * The members where the source is a single character of ASCII: most sets of a long list of words, each of which would take an
 * expression. Without a case, or with one that no other character has (of all letters, with `i` and `u`, ſ is an s and K a k).
 */
function singleMember(source: string, flags: string): CharacterSet['has'] | undefined {
  if (!SINGLE.test(source)) return undefined
  const member = source.charCodeAt(source.length - 1)
  const lower = member | 0x20
  if (!flags.includes('i') || lower < 0x61 || lower > 0x7a) return (codePoint) => codePoint === member
  if (/[uv]/.test(flags) && /[ks]/i.test(source)) return undefined
  return (codePoint) => codePoint < 0x80 && (codePoint | 0x20) === lower
}

function compileSet(source: string, flags: string): CharacterSet {
  const single = singleMember(source, flags)
  if (single) return { key: `${flags}/${source}`, has: single, maxUnits: 1 }
  const own = new RegExp(`^(?:${source})$`, flags)
  const isAscii = !/[uv]/.test(flags) && ASCII_ONLY.test(source)
  const byCodePoint = isAscii || /[uv]/.test(flags) ? own : (unicodeVersion(source, flags) ?? own)
  return {
    key: `${flags}/${source}`,
    has: (codePoint) =>
      (codePoint < 0x80 || !isAscii) &&
      (codePoint > 0xffff ? byCodePoint : own).test(String.fromCodePoint(codePoint)),
    maxUnits: /^\.$|\[\^|\\[pPSDW]|\\u\{|[\u{10000}-\u{10ffff}]|\\u[dD][89abAB]/u.test(source) ? 2 : 1,
  }
}

/** The set of the characters a function accepts. `key` names it among the sets of one scanner. */
export function setFromFunction(key: string, has: (codePoint: number) => boolean): CharacterSet {
  return { key, has, maxUnits: 2 }
}

/** The expression with `u`, for characters outside the basic plane. Some are valid only without. */
function unicodeVersion(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`, `${flags}u`)
  } catch {
    return undefined
  }
}
