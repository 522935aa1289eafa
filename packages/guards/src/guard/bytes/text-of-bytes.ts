import { decode, markedCharset } from './charsets.ts'

/** The texts that bytes may be read as. */
export interface Readings {
  /** Every plausible reading, the most plausible first. */
  readonly texts: readonly string[]
  /** Whether the bytes are the UTF-8 of the only reading, so that all receivers read the same. */
  readonly isPlain: boolean
}

/** How much of the bytes decides whether a reading is plausible: whole characters in UTF-16 and UTF-32. */
const SAMPLE = 16_384

/** How much of a text may be damaged: control characters, and bytes that are no UTF-8. */
const MOST_DAMAGE = 0.2
/** How much of a text in UTF-16 or UTF-32 may be damaged or strange. In random bytes, it is a sixth. */
const MOST_STRANGE = 0.1

const WIDE = ['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be']
const ESCAPE = 0x1b
const DELETE = 0x7f

/** Control characters, except white space and the escape character of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/
const DAMAGE = new RegExp(`${CONTROL.source}|\ufffd`, 'g')
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const STRANGE = /[^\P{C}\p{Cf}\s\u001b]|\ufffd/gu

/**
 * Reads bytes as text, as receivers do: as UTF-8, whatever the sender declared. Also in the declared charsets; and if
 * they are no clean UTF-8, by their byte order mark, and as UTF-16, UTF-32 and Windows-1252. `undefined` if no reading
 * makes sense.
 */
export function readText(bytes: Uint8Array, charsets: readonly string[] = []): Readings | undefined {
  const utf8 = decode('utf-8', bytes)
  if (utf8 !== undefined && !CONTROL.test(utf8)) {
    const texts = new Set([utf8, ...charsets.map((each) => unbroken(each, bytes)).filter(isText)])
    return { texts: [...texts], isPlain: texts.size === 1 }
  }
  const sample = bytes.subarray(0, SAMPLE)
  const beginning = decode('utf-8', sample, false) as string
  const damaged = beginning.match(DAMAGE)?.length ?? 0
  const isReadable = damaged <= MOST_DAMAGE * beginning.length
  const found = new Map<string, number>()
  const add = (charset: string, text: string | undefined): void => {
    if (isText(text) && !found.has(text)) found.set(text, sizeOf(decode(charset, sample, false)))
  }
  for (const each of [...charsets, markedCharset(bytes)]) if (each) add(each, unbroken(each, bytes))
  for (const each of WIDE) {
    if (isProbable(decode(each, sample, false))) add(each, decode(each, bytes, false))
  }
  if (!isReadable && found.size === 0) return undefined
  const left = withoutControls(utf8 ?? (decode('utf-8', bytes, false) as string))
  if (isReadable) {
    // Without any other character outside ASCII, the damage is most likely that of a western European text.
    if (!/[\u0080-\ufffc]/.test(beginning)) add('windows-1252', unbroken('windows-1252', bytes))
    add('utf-8', left)
  }
  // In a wrong charset, common characters become rare ones, which are longer in UTF-8.
  const texts = [...found].sort(([, one], [, other]) => one - other).map(([text]) => text)
  return { texts: [...new Set([...texts, left])], isPlain: false }
}

/** The text in a charset, if all bytes are in it and none is a control character. */
function unbroken(charset: string, bytes: Uint8Array): string | undefined {
  const text = decode(charset, bytes)
  return text === undefined || CONTROL.test(text) ? undefined : text
}

/** Whether nearly all of it are characters that texts have: hardly any other bytes are such a text in UTF-16. */
function isProbable(text: string | undefined): boolean {
  if (text === undefined || text === '') return false
  return (text.match(STRANGE)?.length ?? 0) <= MOST_STRANGE * text.length
}

/** The text without control characters. A replacement by a pattern would take five times as long. */
function withoutControls(text: string): string {
  const units = new Uint16Array(text.length)
  let length = 0
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place)
    const isControl = (unit < 0x20 && (unit < 9 || unit > 13) && unit !== ESCAPE) || unit === DELETE
    if (!isControl) units[length++] = unit
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units.subarray(0, length))
}

function sizeOf(text = ''): number {
  return new TextEncoder().encode(text).length
}

function isText(text: string | undefined): text is string {
  return text !== undefined
}
