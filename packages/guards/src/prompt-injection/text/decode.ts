import { reverse, rot13 } from './disguises.ts'
import type { FoldedText, ReadText } from './folded-text.ts'
import { CLASSES } from './lexicon.ts'
import { nextRun, runOf } from './runs.ts'

/** A decoded passage. */
export interface Decoded {
  readonly encoding: Encoding
  readonly text: string
  /** The position of the encoded passage. */
  readonly start: number
  readonly end: number
}

export type Encoding =
  | 'base64'
  | 'hex'
  | 'binary'
  | 'decimal'
  | 'percent'
  | 'entities'
  | 'escapes'
  | 'backslashes'
  | 'tags'
  | 'selectors'
  | 'rot13'
  | 'reversed'

const BASE64 = /[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{8,})*={0,2}/y
/** Bytes written as numbers, most specific encoding first. */
const NUMBERS: readonly {
  encoding: Encoding
  pattern: RegExp
  decode: (passage: string) => string | undefined
}[] = [
  { encoding: 'binary', pattern: /(?:(?:0b)?[01]{8}[ ,]{0,2}){8,}/g, decode: fromBinary },
  { encoding: 'decimal', pattern: /(?:\d{2,3}[ ,]{1,2}){9,}\d{2,3}/g, decode: fromDecimal },
  { encoding: 'hex', pattern: /(?:(?:0x|\\x)?[\da-fA-F]{2}[ :,]?){10,}/g, decode: fromHex },
]
/**
 * Runs that may contain these encodings: letters and digits with the signs of both base64 alphabets, or digits with
 * separators of bytes.
 */
const BASE64_RUN = runOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-', 16)
const NUMBERS_RUN = runOf('0123456789abcdefABCDEFx\\ :,', 20)
/** Text in which (nearly) every character follows a backslash. */
const BACKSLASHED = /(?:\\[^\\]{1,2}){8,}/gu
const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

interface Clustered {
  readonly encoding: Encoding
  /** A substring that every encoded character contains. */
  readonly mark: string
  readonly pattern: RegExp
  readonly decode: (match: string) => string
}

/** Encodings of single characters. */
const CLUSTERED: readonly Clustered[] = [
  { encoding: 'percent', mark: '%', pattern: /(?:%[\da-fA-F]{2})+/g, decode: fromPercent },
  {
    encoding: 'entities',
    mark: '&',
    pattern: /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp);/g,
    decode: fromEntity,
  },
  {
    encoding: 'escapes',
    mark: '\\u',
    pattern: /\\u(?:\{[\da-fA-F]{1,6}\}|[\da-fA-F]{4})/g,
    decode: fromEscape,
  },
]

/** The high surrogate of all tag characters, and of the variation selectors that encode letters. */
const TAG_MARK = '\udb40'
const TAGS = /[\u{e0020}-\u{e007e}]+/gu
const SELECTORS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{8,}/gu

/** The maximum number of decoded passages in a text. */
const MOST_PASSAGES = 64

/** How much text around encoded characters is decoded with them, in UTF-16 units. */
const AROUND = 80

/** The texts that a text may encode, decoded by one step. Images and other binary data are skipped. */
export function decodings(read: ReadText): Decoded[] {
  const { text } = read
  const found: Decoded[] = []
  const whole = (encoding: Encoding, decoded: string): void => {
    if (decoded !== text) found.push({ encoding, text: decoded, start: 0, end: text.length })
  }
  findBase64(text, found)
  findNumbers(text, found)
  if (text.includes('\\')) findBackslashes(text, found)
  for (const each of CLUSTERED) if (text.includes(each.mark)) findClusters(text, each, found)
  if (text.includes(TAG_MARK)) {
    const tags = text.match(TAGS)
    if (tags) whole('tags', tags.join(' ').replace(/[^ ]/gu, fromTag))
    const selectors = text
      .match(SELECTORS)
      ?.map(fromSelectors)
      .filter((each) => each !== undefined)
    if (selectors?.length) whole('selectors', selectors.join(' '))
  }
  if (hasTwo(read, CLASSES.shifted)) whole('rot13', rot13(text))
  if (hasTwo(read, CLASSES.reversed)) whole('reversed', reverse(text))
  return found
}

function findBase64(text: string, found: Decoded[]): void {
  let count = 0
  let end = 0
  for (let run = nextRun(text, BASE64_RUN, 0); run; run = nextRun(text, BASE64_RUN, end)) {
    const { start } = run
    BASE64.lastIndex = start
    const passage = BASE64.exec(text)?.[0] ?? ''
    end = start + passage.length
    if (isDataUrl(text.slice(Math.max(0, start - 40), start))) continue
    const decoded = fromBase64(passage)
    if (decoded === undefined) continue
    found.push({ encoding: 'base64', text: decoded, start, end })
    if (++count >= MOST_PASSAGES) return
  }
}

function findNumbers(text: string, found: Decoded[]): void {
  let count = 0
  for (let run = nextRun(text, NUMBERS_RUN, 0); run; run = nextRun(text, NUMBERS_RUN, run.end)) {
    const part = text.slice(run.start, run.end)
    for (const { encoding, pattern, decode } of NUMBERS) {
      for (const { 0: passage, index } of part.matchAll(pattern)) {
        const decoded = decode(passage)
        if (decoded === undefined) continue
        const start = run.start + index
        found.push({ encoding, text: decoded, start, end: start + passage.length })
        if (++count >= MOST_PASSAGES) return
      }
    }
  }
}

function findBackslashes(text: string, found: Decoded[]): void {
  let count = 0
  for (const { 0: passage, index } of text.matchAll(BACKSLASHED)) {
    found.push({
      encoding: 'backslashes',
      text: fromBackslashes(passage),
      start: index,
      end: index + passage.length,
    })
    if (++count >= MOST_PASSAGES) return
  }
}

/** Decodes single encoded characters that are near each other, with the text around them. */
function findClusters(text: string, { encoding, pattern, decode }: Clustered, found: Decoded[]): void {
  let from = 0
  let to = 0
  let count = 0
  let decoded = 0
  const finish = (): void => {
    const isLong = to - from > 2 * AROUND
    if (count < 2 && !(isLong && count > 0)) return
    const start = Math.max(0, from - AROUND)
    const end = Math.min(text.length, to + AROUND)
    if (decoded++ >= MOST_PASSAGES) return
    found.push({ encoding, text: text.slice(start, end).replace(pattern, decode), start, end })
  }
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (count > 0 && index - to > AROUND) {
      finish()
      count = 0
    }
    if (count === 0) from = index
    to = index + match.length
    count += match.length > 6 && encoding === 'percent' ? 2 : 1
  }
  finish()
}

function isDataUrl(before: string): boolean {
  return /data:(?:image|audio|video|font)\/[\w.+-]{1,24};base64,$/i.test(before)
}

function fromBase64(passage: string): string | undefined {
  const plain = passage
    .replace(/[\r\n=]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  // A word or a path is not base64: one case only, or digits only.
  if (/^(?:[a-z/+]+|[A-Z/+]+|[\d/+]+)$/.test(plain)) return undefined
  try {
    const usable = plain.length % 4 === 1 ? plain.slice(0, -1) : plain
    return readable(bytesOf(atob(usable)))
  } catch {
    return undefined
  }
}

function bytesOf(binary: string): Uint8Array {
  const bytes = new Uint8Array(binary.length)
  for (let place = 0; place < bytes.length; place++) bytes[place] = binary.charCodeAt(place)
  return bytes
}

function fromHex(passage: string): string | undefined {
  const digits = passage.replace(/0x|\\x|[ :,]/g, '')
  return readable(bytesFrom(digits, 2, 16))
}

function fromBinary(passage: string): string | undefined {
  const digits = passage.replace(/0b|[ ,]/g, '')
  return readable(bytesFrom(digits, 8, 2))
}

/** Parses bytes of `size` digits each. */
function bytesFrom(digits: string, size: number, radix: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor(digits.length / size))
  for (let place = 0; place < bytes.length; place++) {
    bytes[place] = Number.parseInt(digits.slice(size * place, size * (place + 1)), radix)
  }
  return bytes
}

function fromDecimal(passage: string): string | undefined {
  const codes = passage.split(/[ ,]+/).map(Number)
  return codes.every((code) => code < 127) ? readable(Uint8Array.from(codes)) : undefined
}

/** Each of the 256 variation selectors encodes a byte: invisible in all fonts, but read by models. */
function fromSelectors(passage: string): string | undefined {
  const codes = Array.from(passage, (selector) => selector.codePointAt(0) as number)
  return readable(Uint8Array.from(codes, (code) => (code < 0xe0100 ? code - 0xfe00 : code - 0xe0100 + 16)))
}

/** The bytes as text; undefined if they are not text. */
function readable(bytes: Uint8Array): string | undefined {
  let control = 0
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) control++
  if (control > 0.02 * bytes.length) return undefined
  const text = new TextDecoder().decode(bytes)
  const broken = text.length - text.replaceAll('\ufffd', '').length
  if (broken > 0.03 * text.length + 1) return undefined
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0
  return letters >= 0.6 * text.length || /[A-Za-z0-9+/_-]{24}/.test(text) ? text : undefined
}

function fromBackslashes(passage: string): string {
  return passage.replace(/\\([^\\]{1,2})/gu, '$1')
}

function fromPercent(passage: string): string {
  try {
    return decodeURIComponent(passage)
  } catch {
    return passage
  }
}

function fromEntity(entity: string): string {
  const name = entity.slice(1, -1)
  if (name[0] !== '#') return NAMED[name] ?? entity
  const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return fromCode(code)
}

function fromEscape(sequence: string): string {
  return fromCode(Number.parseInt(sequence.replace(/[^\da-fA-F]/g, ''), 16))
}

function fromTag(character: string): string {
  return String.fromCharCode((character.codePointAt(0) as number) - 0xe0000)
}

function fromCode(code: number): string {
  return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ' '
}

/** Whether two different words of a class occur. */
function hasTwo({ words, classes }: FoldedText, wanted: number): boolean {
  let first: string | undefined
  for (let place = 0; place < words.length; place++) {
    if (((classes[place] as number) & wanted) === 0 || words[place] === first) continue
    if (first !== undefined) return true
    first = words[place]
  }
  return false
}
