/** Tokens by rank: a text, or bytes if they are not whole characters. Holes are unused ranks. */
export type RankTable = readonly (string | readonly number[] | undefined)[]

/**
 * The table in parts, which the build creates and which are loaded one after another. A part is a string of tokens,
 * joined by {@link SEPARATOR}. A token is printable ASCII, or {@link ENCODED} followed by its bytes in base64. An empty
 * string is an unused rank.
 */
export type RankParts = readonly (() => Promise<{ default: string }>)[]

export const SEPARATOR = '\x7f'
export const ENCODED = '~'

/** The rank of bytes that are not a token. */
export const NONE = -1

/** A rank table with indexes for lookups. */
export interface Ranks {
  readonly ranks: TokenRanks
  readonly parts: ReadonlyMap<string, number>
  /** The ranks of tokens of two bytes, indexed by first byte × 256 + second byte; -1 if there is no such token. */
  readonly pairs: Int32Array
  readonly longest: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The number of tokens that are read in one step. It takes a few milliseconds. */
const STEP = 4_096

/** Reads a table in steps: as a whole, or part by part in order. */
export class RankReader implements Ranks {
  readonly ranks: TokenRanks = new TokenRanks()
  readonly parts: Map<string, number> = new Map()
  readonly pairs: Int32Array = new Int32Array(256 * 256).fill(NONE)
  longest = 0
  #rank = 0;

  *read(table: RankTable): Generator<void, void, undefined> {
    for (const token of table) {
      if (this.#rank % STEP === STEP - 1) yield
      if (typeof token === 'string') this.#addText(token, encoder.encode(token))
      else if (token) this.#addBytes(token)
      this.#rank++
    }
  }

  *readPart(part: string): Generator<void, void, undefined> {
    for (let start = 0; start <= part.length; this.#rank++) {
      if (this.#rank % STEP === STEP - 1) yield
      let end = part.indexOf(SEPARATOR, start)
      if (end === -1) end = part.length
      if (part[start] === ENCODED) this.#addBytes(bytesOf(part, start + 1, end))
      else if (end > start) {
        const text = part.slice(start, end)
        this.#addText(text, text)
      }
      start = end + 1
    }
  }

  /** Adds a token by its bytes, which may be valid UTF-8. */
  #addBytes(bytes: readonly number[]): void {
    const text = textOf(bytes)
    if (text !== undefined) this.#addText(text, bytes)
    else {
      this.parts.set(String.fromCharCode(...bytes), this.#rank)
      this.#note(bytes)
    }
  }

  #addText(text: string, bytes: string | ArrayLike<number>): void {
    this.ranks.set(text, this.#rank)
    this.#note(bytes)
  }

  #note(bytes: string | ArrayLike<number>): void {
    this.longest = Math.max(this.longest, bytes.length)
    if (bytes.length !== 2) return
    const [first, second] =
      typeof bytes === 'string'
        ? [bytes.charCodeAt(0), bytes.charCodeAt(1)]
        : [bytes[0] as number, bytes[1] as number]
    this.pairs[first * 256 + second] = this.#rank
  }
}

/** Ranks by text, in one map per length: a single large map would block the event loop each time it is resized. */
export class TokenRanks {
  readonly #byLength: Map<string, number>[] = []

  has(text: string): boolean {
    return this.#byLength[text.length]?.has(text) === true
  }

  get(text: string): number | undefined {
    return this.#byLength[text.length]?.get(text)
  }

  set(text: string, rank: number): void {
    let ranks = this.#byLength[text.length]
    if (!ranks) {
      // Fill the array without holes: V8 is faster with packed arrays.
      while (this.#byLength.length <= text.length) this.#byLength.push(new Map())
      ranks = this.#byLength[text.length] as Map<string, number>
    }
    ranks.set(text, rank)
  }

  /** All entries, sorted by length. */
  *entries(): Generator<[text: string, rank: number], void, undefined> {
    for (const ranks of this.#byLength) yield* ranks
  }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const digits: Uint8Array = new Uint8Array(128)
for (const [value, digit] of [...BASE64].entries()) digits[digit.charCodeAt(0)] = value

/** Decodes base64 without padding. */
function bytesOf(text: string, start: number, end: number): number[] {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (let place = start; place < end; place++) {
    value = ((value << 6) | (digits[text.charCodeAt(place) & 0x7f] as number)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >> bits) & 0xff)
  }
  return bytes
}

/** Decodes UTF-8; undefined if the bytes are not whole characters. */
function textOf(bytes: readonly number[]): string | undefined {
  // Fast path for characters of one or two bytes, as in most tokens: a TextDecoder is slow for short inputs.
  const units: number[] = []
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    if (byte < 0x80) {
      units.push(byte)
      continue
    }
    const next = bytes[index + 1] ?? 0
    if (byte < 0xc2 || (next & 0xc0) !== 0x80) return undefined
    if (byte >= 0xe0) return decoded(bytes)
    units.push(((byte & 0x1f) << 6) | (next & 0x3f))
    index++
  }
  return String.fromCharCode(...units)
}

function decoded(bytes: readonly number[]): string | undefined {
  try {
    return decoder.decode(Uint8Array.from(bytes))
  } catch {
    return undefined
  }
}
