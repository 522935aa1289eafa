import { decode, markedCharset } from './charsets.ts'

/** The texts that bytes may be read as. */
export interface Readings {
  /** Every plausible reading, the most plausible first. */
  readonly texts: readonly string[]
  /** Whether the bytes are the UTF-8 of the only reading, so that all receivers read the same. */
  readonly isPlain: boolean
}

/** How much of a text may be damaged: control characters, and bytes that are no UTF-8. */
const MOST_DAMAGE = 0.2

/** How much of a text in UTF-16 or UTF-32 may be damaged or strange. In random bytes, it is a sixth. */
const MOST_STRANGE = 0.1

/** Control characters, except white space and the escape character of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u001b\u0080-\u009f]/gu
const LOST = /\ufffd/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const STRANGE = /[^\P{C}\p{Cf}\s\u001b]|\ufffd/gu
const WIDE = ['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']

/**
 * Reads bytes as text, as receivers do: as UTF-8, whatever the sender declared. Also in the declared charsets; and if
 * they are no clean UTF-8, by their byte order mark, and as UTF-16, UTF-32 and Windows-1252. `undefined` if no reading
 * makes sense.
 */
export function readText(bytes: Uint8Array, charsets: readonly string[] = []): Readings | undefined {
  const whole = decode('utf-8', bytes)
  const utf8 = whole ?? (decode('utf-8', bytes, false) as string)
  const controls = utf8.match(CONTROLS)?.length ?? 0
  const lost = whole === undefined ? (utf8.match(LOST)?.length ?? 0) : 0
  const declared = charsets.map((each) => decode(each, bytes)).filter(isUnbroken)
  if (controls + lost === 0) {
    const texts = [...new Set([utf8, ...declared])]
    return { texts, isPlain: texts.length === 1 }
  }
  const isReadable = controls + lost <= MOST_DAMAGE * utf8.length
  const marked = [decode(markedCharset(bytes), bytes)].filter(isUnbroken)
  const wide = WIDE.map((each) => decode(each, bytes, false)).filter(isProbable)
  const others = [...declared, ...marked, ...wide]
  if (!isReadable && others.length === 0) return undefined
  // Without any other character outside ASCII, the damage is most likely that of a western European text.
  const isWestern = isReadable && controls === 0 && !/[\u0080-\ufffc]/.test(utf8)
  const western = isWestern ? decode('windows-1252', bytes) : undefined
  if (western !== undefined) others.push(western)
  const left = utf8.replace(CONTROLS, '')
  return { texts: [...new Set([...inOrder(isReadable ? [left, ...others] : others), left])], isPlain: false }
}

/** The shortest in UTF-8 first: in a wrong charset, common characters become rare ones. */
function inOrder(texts: readonly string[]): string[] {
  return texts
    .map((text) => ({ text, size: new TextEncoder().encode(text).length }))
    .sort((one, other) => one.size - other.size)
    .map(({ text }) => text)
}

function isUnbroken(text: string | undefined): text is string {
  return text !== undefined && text.search(CONTROLS) === -1
}

/** Whether nearly all of it are characters that texts have: hardly any other bytes are such a text in UTF-16. */
function isProbable(text: string | undefined): text is string {
  if (text === undefined || text === '') return false
  return (text.match(STRANGE)?.length ?? 0) <= MOST_STRANGE * text.length
}
