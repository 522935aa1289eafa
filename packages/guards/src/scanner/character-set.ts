/** A set of characters, by code point. Sets with the same key have the same members. */
export interface CharacterSet {
  readonly key: string
  readonly has: (codePoint: number) => boolean
  /** The length of its longest member in UTF-16 units: 2 if it may contain characters outside the basic plane. */
  readonly maxUnits: 1 | 2
}

/**
 * Sources of sets with ASCII members only: a character, `\d`, `\w`, or a class of them. Without `u`, no other character
 * equals one of them in any case (ECMA-262, Canonicalize).
 */
const ASCII_ONLY =
  /^(?:[ -\-/-Z_-~]|\\[dw^$.*+?()[\]{}|/\\-]|\[(?!\^)(?:[ -Z^-~]|\\[dw^$.*+?()[\]{}|/\\-])*\])$/

/** Cached for the whole process: scanners have few different sets. */
const known = new Map<string, CharacterSet>()
const MOST_KNOWN = 2_000

/** The set for an atom of a regular expression: a character, a class, an escape, or `.`. */
export function setFromSource(source: string, flags: string): CharacterSet {
  const key = `${flags}/${source}`
  const found = known.get(key)
  if (found) return found
  const set = compileSet(source, flags)
  if (known.size < MOST_KNOWN) known.set(key, set)
  return set
}

/** A single ASCII character, escaped or not. */
const SINGLE = /^(?:[\w ,:;=@#%&'"<>!~`-]|\\[$.*+?()[\]{}|/\\^-])$/

/**
 * The test for a source that is a single ASCII character, without a regular expression: most sets of a long word list
 * are such. Undefined for `k` and `s` with `i` and `u`, which also match K (Kelvin) and ſ.
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

/** The set of the characters that a function accepts. `key` must be unique among the sets of a scanner. */
export function setFromFunction(key: string, has: (codePoint: number) => boolean): CharacterSet {
  return { key, has, maxUnits: 2 }
}

/** The expression with the flag `u`, for characters outside the basic plane; undefined if it is only valid without. */
function unicodeVersion(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${source})$`, `${flags}u`)
  } catch {
    return undefined
  }
}
