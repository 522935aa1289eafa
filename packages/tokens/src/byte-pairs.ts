import { NONE, type Ranks, type TokenRanks } from './rank-table.ts'

const MOST_KNOWN = 4_096
/** Counts of longer pieces are not cached, in UTF-16 units. */
const LONGEST_KNOWN = 64
/** Up to this many bytes, a linear search for the best pair is faster than a heap. */
const SHORT = 24
/** A heap entry is `rank * PLACES + position`, so that entries sort by rank, then by position. */
const PLACES = 2 ** 32

/**
 * Byte pair encoding: starting with the bytes of a text, the two neighbors whose combination has the lowest rank are
 * merged, until none can be. A piece of n bytes takes O(n log n), whatever its content.
 */
export class BytePairs {
  /** Ranks of tokens that are whole characters, by text. */
  readonly #ranks: TokenRanks
  /** Ranks of all other tokens, by their bytes as characters up to U+00FF. */
  readonly #parts: ReadonlyMap<string, number>
  readonly #pairs: Int32Array
  readonly #known = new Map<string, number>()
  /** The length of the longest token, in bytes. */
  readonly #longest: number
  readonly #joined = new MergeRankCache()
  /** The buffers for merging. It is synchronous, so all pieces share them. */
  readonly #bytes = new PieceBytes()

  constructor({ ranks, parts, pairs, longest }: Ranks) {
    this.#ranks = ranks
    this.#parts = parts
    this.#pairs = pairs
    this.#longest = longest
  }

  /** The number of tokens of a piece. Tokens never cross the boundaries of a piece. */
  count(piece: string): number {
    if (this.#ranks.has(piece)) return 1
    const known = this.#known.get(piece)
    if (known !== undefined) return known
    const { length, next } = this.#merge(piece)
    let count = 0
    for (let place = 0; place < length; place = next[place] as number) count++
    if (piece.length <= LONGEST_KNOWN) {
      // Cleared as a whole: finding the oldest entry of a Map with deleted entries is slow.
      if (this.#known.size >= MOST_KNOWN) this.#known.clear()
      this.#known.set(piece, count)
    }
    return count
  }

  /**
   * The ends of the tokens of a piece, in UTF-16 units. A token that ends within a character gets the start of that
   * character.
   */
  ends(piece: string): number[] {
    if (this.#ranks.has(piece)) return [piece.length]
    const { length, next, places } = this.#merge(piece)
    const ends: number[] = []
    for (let place = 0; place < length; place = next[place] as number) {
      let end = next[place] as number
      while ((places[end] as number) < 0) end--
      ends.push(places[end] as number)
    }
    return ends
  }

  /** Merges the bytes of a piece until no two neighbors form a token. */
  #merge(piece: string): PieceBytes {
    const bytes = this.#bytes
    bytes.read(piece)
    const { length, ranks } = bytes
    for (let place = 0; place < length; place++) ranks[place] = this.#rankOfBytes(place)
    if (length <= SHORT) this.#mergeShort()
    else this.#mergeLong()
    return bytes
  }

  #mergeShort(): void {
    const { length, next, ranks } = this.#bytes
    for (;;) {
      let least = NONE
      let at = 0
      for (let place = 0; place < length; place = next[place] as number) {
        const rank = ranks[place] as number
        if (rank === NONE || (least !== NONE && rank >= least)) continue
        least = rank
        at = place
      }
      if (least === NONE) return
      const before = this.#bytes.join(at, least)
      ranks[at] = this.#rankAt(at)
      if (before >= 0) ranks[before] = this.#rankAt(before)
    }
  }

  #mergeLong(): void {
    const { length, ranks, heap } = this.#bytes
    heap.clear()
    for (let place = 0; place < length; place++) {
      if (ranks[place] !== NONE) heap.add((ranks[place] as number) * PLACES + place)
    }
    heap.heapify()
    for (let lowest = heap.pop(); lowest >= 0; lowest = heap.pop()) {
      const rank = Math.floor(lowest / PLACES)
      const place = lowest - rank * PLACES
      // Outdated entry: the token was merged into another one, or now has another neighbor.
      if (ranks[place] !== rank) continue
      const before = this.#bytes.join(place, rank)
      this.#rate(place)
      if (before >= 0) this.#rate(before)
    }
  }

  #rate(place: number): void {
    const { ranks, heap } = this.#bytes
    const rank = this.#rankAt(place)
    ranks[place] = rank
    if (rank !== NONE) heap.push(rank * PLACES + place)
  }

  #rankOfBytes(place: number): number {
    const { values, length } = this.#bytes
    if (place + 1 >= length) return NONE
    return this.#pairs[(values[place] as number) * 256 + (values[place + 1] as number)] as number
  }

  /** The rank of the token at a position merged with the next one. */
  #rankAt(place: number): number {
    const { length, next, tokens } = this.#bytes
    const middle = next[place] as number
    if (middle >= length) return NONE
    const end = next[middle] as number
    if (end - place > this.#longest) return NONE
    const first = tokens[place] as number
    const second = tokens[middle] as number
    const joined = this.#joined
    const slot = joined.slotOf(first, second)
    if (joined.firsts[slot] === first && joined.seconds[slot] === second) return joined.ranks[slot] as number
    const rank = this.#lookUp(place, end)
    joined.firsts[slot] = first
    joined.seconds[slot] = second
    joined.ranks[slot] = rank
    return rank
  }

  #lookUp(start: number, end: number): number {
    const { piece, places, values } = this.#bytes
    const [from, to] = [places[start] as number, places[end] as number]
    if (from >= 0 && to >= 0) return this.#ranks.get(piece.slice(from, to)) ?? NONE
    let binary = ''
    for (let place = start; place < end; place++) binary += String.fromCharCode(values[place] as number)
    return this.#parts.get(binary) ?? NONE
  }
}

/** The number of slots of the cache. A power of two, so that a hash is reduced with a mask. */
const CACHE_SLOTS = 65_536

/** A direct-mapped cache of the ranks of merged tokens, since the same pairs occur often. */
class MergeRankCache {
  readonly firsts: Int32Array = new Int32Array(CACHE_SLOTS).fill(NONE)
  readonly seconds: Int32Array = new Int32Array(CACHE_SLOTS)
  readonly ranks: Int32Array = new Int32Array(CACHE_SLOTS)

  slotOf(first: number, second: number): number {
    const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b)
    return (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1)
  }
}

/** Ids of single bytes are below this; the id of any other token is its rank plus this. */
const BYTES = 256

/** The UTF-8 bytes of a piece, and its tokens as a linked list, indexed by their first byte. */
class PieceBytes {
  piece = ''
  /** The length of the piece in bytes. */
  length = 0
  values = new Uint8Array(0)
  /** By byte: the position of the character that begins with it, or -1 within a character. The last entry is the end. */
  places = new Int32Array(0)
  /** By the first byte of a token: the first byte of the next token, and of the previous one. */
  next = new Int32Array(0)
  previous = new Int32Array(0)
  tokens = new Int32Array(0)
  /** By the first byte of a token: the rank of its merge with the next token. */
  ranks = new Int32Array(0)
  readonly heap = new Heap()

  read(piece: string): void {
    this.#makeRoom(3 * piece.length + 1)
    const { values, places, next, previous, tokens } = this
    let length = 0
    const write = (byte: number, place: number): void => {
      values[length] = byte
      tokens[length] = byte
      places[length++] = place
    }
    for (let index = 0; index < piece.length; index++) {
      const unit = piece.charCodeAt(index)
      if (unit < 0x80) {
        write(unit, index)
      } else if (unit < 0x800) {
        write(0xc0 | (unit >> 6), index)
        write(0x80 | (unit & 0x3f), NONE)
      } else {
        // A lone surrogate is encoded as U+FFFD.
        const codePoint = (unit & 0xf800) === 0xd800 ? wholeCharacter(piece, index) : unit
        if (codePoint > 0xffff) {
          write(0xf0 | (codePoint >> 18), index++)
          write(0x80 | ((codePoint >> 12) & 0x3f), NONE)
        } else {
          write(0xe0 | (codePoint >> 12), index)
        }
        write(0x80 | ((codePoint >> 6) & 0x3f), NONE)
        write(0x80 | (codePoint & 0x3f), NONE)
      }
    }
    places[length] = piece.length
    for (let place = 0; place < length; place++) {
      next[place] = place + 1
      previous[place] = place - 1
    }
    this.piece = piece
    this.length = length
  }

  /** Merges the token at a position with the next one. Returns the start of the previous token, or -1. */
  join(place: number, rank: number): number {
    const { next, previous, ranks, tokens } = this
    const middle = next[place] as number
    const end = next[middle] as number
    ranks[middle] = NONE
    next[place] = end
    previous[end] = place
    tokens[place] = BYTES + rank
    return previous[place] as number
  }

  #makeRoom(length: number): void {
    if (length <= this.values.length) return
    const room = Math.max(256, 2 * length)
    this.values = new Uint8Array(room)
    this.places = new Int32Array(room)
    this.next = new Int32Array(room)
    this.previous = new Int32Array(room)
    this.tokens = new Int32Array(room)
    this.ranks = new Int32Array(room)
  }
}

function wholeCharacter(text: string, index: number): number {
  // Compiled code of Node 24 reads past the end of a text that is a slice of a longer one (V8's Maglev).
  if (index + 1 >= text.length) return 0xfffd
  const codePoint = text.codePointAt(index) as number
  return codePoint > 0xffff ? codePoint : 0xfffd
}

/** A min-heap of non-negative numbers. */
class Heap {
  #items = new Float64Array(256)
  #size = 0

  clear(): void {
    this.#size = 0
  }

  /** Appends a number without sorting; call {@link heapify} afterwards. */
  add(item: number): void {
    if (this.#size === this.#items.length) {
      const items = new Float64Array(2 * this.#size)
      items.set(this.#items)
      this.#items = items
    }
    this.#items[this.#size++] = item
  }

  heapify(): void {
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at, this.#items[at] as number)
  }

  push(item: number): void {
    this.add(item)
    const items = this.#items
    let at = this.#size - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if ((items[above] as number) <= item) break
      items[at] = items[above] as number
      at = above
    }
    items[at] = item
  }

  /** Removes and returns the minimum, or -1 if the heap is empty. */
  pop(): number {
    if (this.#size === 0) return -1
    const least = this.#items[0] as number
    const last = this.#items[--this.#size] as number
    if (this.#size > 0) this.#sink(0, last)
    return least
  }

  #sink(from: number, item: number): void {
    const items = this.#items
    const size = this.#size
    let at = from
    for (;;) {
      let below = 2 * at + 1
      if (below >= size) break
      if (below + 1 < size && (items[below + 1] as number) < (items[below] as number)) below++
      if ((items[below] as number) >= item) break
      items[at] = items[below] as number
      at = below
    }
    items[at] = item
  }
}
