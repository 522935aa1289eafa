/** Tokens in order of their rank: a text, or bytes where they are not whole characters; holes where a rank is not used. */
export type RankTable = readonly (string | readonly number[] | undefined)[]

const MOST_KNOWN = 20_000
/** Longer pieces are not remembered. */
const LONGEST_KNOWN = 64
/** Up to so many bytes, to look at all pairs each time takes less than to keep them in order. */
const SHORT = 24
const NONE = -1
/** A rank and a place in one number, in order of rank and then of place. */
const PLACES = 2 ** 32

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Byte pair encoding: of the bytes of a text, the two neighbours that make the token of the lowest rank become one, over and
 * over. A piece of n bytes takes time in proportion to n log n, whatever is in it.
 */
export class BytePairs {
  /** By text: the ranks of tokens that are whole characters. */
  readonly #ranks: ReadonlyMap<string, number>
  /** By bytes, as characters up to U+00FF: the others. */
  readonly #parts: ReadonlyMap<string, number>
  readonly #pairs: Int32Array
  readonly #known = new Map<string, number>()
  /** The longest token, in bytes. */
  readonly #longest: number

  /** @param ranks See {@link readRanks}. */
  constructor({ ranks, parts, pairs, longest }: Ranks) {
    this.#ranks = ranks
    this.#parts = parts
    this.#pairs = pairs
    this.#longest = longest
  }

  /** How many tokens a piece of text makes that no token goes beyond. */
  count(piece: string): number {
    if (this.#ranks.has(piece)) return 1
    let count = this.#known.get(piece)
    if (count === undefined) {
      count = this.ends(piece).length
      if (piece.length <= LONGEST_KNOWN) {
        // All at once: to find the oldest of a map of which others have been deleted takes long.
        if (this.#known.size >= MOST_KNOWN) this.#known.clear()
        this.#known.set(piece, count)
      }
    }
    return count
  }

  /** Where the tokens of a piece end, in its UTF-16 units; of those that end within a character, where it begins. */
  ends(piece: string): number[] {
    if (this.#ranks.has(piece)) return [piece.length]
    const bytes = bytesOf(piece)
    const next = bytes.values.length <= SHORT ? this.#mergeShort(bytes) : this.#mergeLong(bytes)
    const ends: number[] = []
    for (let place = 0; place < bytes.values.length; place = next[place] as number) {
      ends.push(placeBefore(bytes.places, next[place] as number))
    }
    return ends
  }

  /** By the byte a token begins with, once it is known which ones are left: the byte the next one begins with. */
  #mergeShort(bytes: Bytes): Int32Array {
    const { length } = bytes.values
    const starts = Array.from({ length: length + 1 }, (_, index) => index)
    const ranks = Array.from({ length }, (_, index) => this.#rankOfPair(bytes, index))
    while (starts.length > 2) {
      let least = Number.POSITIVE_INFINITY
      let at = -1
      for (let index = 0; index < starts.length - 2; index++) {
        const rank = ranks[index] as number
        if (rank !== NONE && rank < least) {
          least = rank
          at = index
        }
      }
      if (at < 0) break
      starts.splice(at + 1, 1)
      ranks.splice(at + 1, 1)
      const rankAt = (index: number): number =>
        index < 0 || index + 2 >= starts.length
          ? NONE
          : this.#rankOf(bytes, starts[index] as number, starts[index + 2] as number)
      ranks[at] = rankAt(at)
      if (at > 0) ranks[at - 1] = rankAt(at - 1)
    }
    const next = new Int32Array(length)
    for (let index = 0; index + 1 < starts.length; index++)
      next[starts[index] as number] = starts[index + 1] as number
    return next
  }

  #mergeLong(bytes: Bytes): Int32Array {
    const { length } = bytes.values
    const next = Int32Array.from({ length }, (_, index) => index + 1)
    const previous = Int32Array.from({ length: length + 1 }, (_, index) => index - 1)
    /** By byte: the rank of what begins with it and the token after it. */
    const ranks = Int32Array.from({ length }, (_, index) => this.#rankOfPair(bytes, index))
    const heap = new Heap()
    for (let place = 0; place < length; place++) {
      if (ranks[place] !== NONE) heap.push((ranks[place] as number) * PLACES + place)
    }
    const rate = (place: number): void => {
      const middle = next[place] as number
      const rank = middle < length ? this.#rankOf(bytes, place, next[middle] as number) : NONE
      ranks[place] = rank
      if (rank !== NONE) heap.push(rank * PLACES + place)
    }
    for (let lowest = heap.pop(); lowest !== undefined; lowest = heap.pop()) {
      const rank = Math.floor(lowest / PLACES)
      const place = lowest - rank * PLACES
      // It has become part of another one, or another pair begins there by now.
      if (ranks[place] !== rank) continue
      const middle = next[place] as number
      const end = next[middle] as number
      ranks[middle] = NONE
      next[place] = end
      previous[end] = place
      rate(place)
      if (place > 0) rate(previous[place] as number)
    }
    return next
  }

  #rankOfPair({ values }: Bytes, place: number): number {
    if (place + 1 >= values.length) return NONE
    return this.#pairs[(values[place] as number) * 256 + (values[place + 1] as number)] as number
  }

  #rankOf({ piece, binary, places }: Bytes, start: number, end: number): number {
    if (end - start > this.#longest) return NONE
    if (places === undefined) return this.#ranks.get(piece.slice(start, end)) ?? NONE
    const [from, to] = [places[start] as number, places[end] as number]
    if (from >= 0 && to >= 0) return this.#ranks.get(piece.slice(from, to)) ?? NONE
    return this.#parts.get(binary.slice(start, end)) ?? NONE
  }
}

/** A table of ranks, ready to be looked up. */
export interface Ranks {
  readonly ranks: ReadonlyMap<string, number>
  readonly parts: ReadonlyMap<string, number>
  /** By two bytes: the rank of the token that is these two, or -1. */
  readonly pairs: Int32Array
  readonly longest: number
}

/** Reads a table step by step: each step takes a few milliseconds at most. */
export function* readRanks(table: RankTable): Generator<void, Ranks, undefined> {
  const ranks = new Map<string, number>()
  const parts = new Map<string, number>()
  const pairs = new Int32Array(256 * 256).fill(NONE)
  let longest = 0
  for (let rank = 0; rank < table.length; rank++) {
    if (rank % 8_192 === 8_191) yield
    const token = table[rank]
    if (token === undefined) continue
    const text = typeof token === 'string' ? token : textOf(token)
    if (text === undefined) parts.set(String.fromCharCode(...(token as readonly number[])), rank)
    else ranks.set(text, rank)
    const isShort = token.length <= 2
    // A character takes three bytes at most for each of its units.
    longest = Math.max(longest, typeof token === 'string' ? 3 * token.length : token.length)
    if (!isShort) continue
    const bytes = typeof token === 'string' ? encoder.encode(token) : token
    if (bytes.length === 2) pairs[(bytes[0] as number) * 256 + (bytes[1] as number)] = rank
  }
  return { ranks, parts, pairs, longest }
}

function textOf(bytes: readonly number[]): string | undefined {
  try {
    return decoder.decode(Uint8Array.from(bytes))
  } catch {
    return undefined
  }
}

interface Bytes {
  readonly piece: string
  readonly values: Uint8Array
  /** The bytes as characters up to U+00FF. */
  readonly binary: string
  /** By byte, and for the end: where the character stands that begins with it, or -1. Undefined where they are the same. */
  readonly places: Int32Array | undefined
}

function bytesOf(piece: string): Bytes {
  const values = encoder.encode(piece)
  if (values.length === piece.length) return { piece, values, binary: piece, places: undefined }
  const places = new Int32Array(values.length + 1).fill(NONE)
  let place = 0
  for (let at = 0; at < values.length; ) {
    places[at] = place
    const first = values[at] as number
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    at += length
    place += length === 4 ? 2 : 1
  }
  places[values.length] = place
  return { piece, values, binary: String.fromCharCode(...values), places }
}

/** The place of a byte, or of the character it is in. */
function placeBefore(places: Int32Array | undefined, byte: number): number {
  if (!places) return byte
  let at = byte
  while ((places[at] as number) < 0) at--
  return places[at] as number
}

/** The least of numbers first. */
class Heap {
  readonly #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if ((items[above] as number) <= item) break
      items[at] = items[above] as number
      at = above
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const least = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return least
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= items.length) break
      if (below + 1 < items.length && (items[below + 1] as number) < (items[below] as number)) below++
      if ((items[below] as number) >= last) break
      items[at] = items[below] as number
      at = below
    }
    items[at] = last
    return least
  }
}
