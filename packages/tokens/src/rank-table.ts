/** Tokens by rank: a text, or bytes if they are not whole characters. Holes are unused ranks. */
export type RankTable = readonly (string | readonly number[] | undefined)[]

/** Not a token. */
export const NONE = -1

/** A rank table with indexes for lookups. */
export interface Ranks {
  readonly ranks: ReadonlyMap<string, number>
  readonly parts: ReadonlyMap<string, number>
  /** By two bytes: the rank of the token that consists of them, or -1. */
  readonly pairs: Int32Array
  readonly longest: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Tokens read in one step, which takes a few milliseconds. */
const STEP = 4_096

/** Reads a table in steps. */
export function* readRanks(table: RankTable): Generator<void, Ranks, undefined> {
  const tokens = new RanksByToken()
  for (let rank = 0; rank < table.length; rank++) {
    if (rank % STEP === STEP - 1) yield
    const token = table[rank]
    if (token !== undefined) tokens.add(token, rank)
  }
  return tokens
}

/** Reads a file in tiktoken's format in steps: a line for each token, with its bytes in base64 and its rank. */
export function* readRankFile(file: string): Generator<void, Ranks, undefined> {
  const tokens = new RanksByToken()
  const digits = new Uint8Array(128)
  for (const [value, digit] of [...BASE64].entries()) digits[digit.charCodeAt(0)] = value
  let line = 0
  for (let place = 0; place < file.length; line++) {
    if (line % STEP === STEP - 1) yield
    const bytes: number[] = []
    let bits = 0
    let value = 0
    for (let unit = file.charCodeAt(place); unit > SPACE; unit = file.charCodeAt(++place)) {
      if (unit === PADDING) continue
      value = ((value << 6) | (digits[unit & 0x7f] as number)) & 0xffff
      bits += 6
      if (bits < 8) continue
      bits -= 8
      bytes.push((value >> bits) & 0xff)
    }
    let rank = 0
    for (let unit = file.charCodeAt(++place); unit > SPACE; unit = file.charCodeAt(++place)) {
      rank = 10 * rank + unit - ZERO
    }
    place++
    if (bytes.length > 0) tokens.add(bytes, rank)
  }
  return tokens
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const [SPACE, ZERO, PADDING] = [0x20, 0x30, 0x3d]

class RanksByToken implements Ranks {
  readonly ranks = new Map<string, number>()
  readonly parts = new Map<string, number>()
  readonly pairs: Int32Array = new Int32Array(256 * 256).fill(NONE)
  longest = 0

  /** @param token A text, or bytes, which may also be a valid text */
  add(token: string | readonly number[], rank: number): void {
    const text = typeof token === 'string' ? token : textOf(token)
    if (text === undefined) this.parts.set(String.fromCharCode(...(token as readonly number[])), rank)
    else this.ranks.set(text, rank)
    // A UTF-16 unit has at most three bytes of UTF-8.
    this.longest = Math.max(this.longest, typeof token === 'string' ? 3 * token.length : token.length)
    if (token.length > 2) return
    const bytes = typeof token === 'string' ? encoder.encode(token) : token
    if (bytes.length === 2) this.pairs[(bytes[0] as number) * 256 + (bytes[1] as number)] = rank
  }
}

/** Decodes UTF-8; undefined if the bytes are not whole characters. */
function textOf(bytes: readonly number[]): string | undefined {
  // Most tokens have characters of one or two bytes only, for which a TextDecoder is slow.
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
