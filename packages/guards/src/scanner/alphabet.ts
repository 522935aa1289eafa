import type { CharacterSet } from './character-set.ts'

/** The class of the edges of the text: before its first and after its last character. */
export const EDGE = 0
/** In {@link Alphabet.units}: not classified yet, or a surrogate. */
export const UNKNOWN = 0xffff

/**
 * Maps characters to classes: two characters that are in the same sets of the automaton have the same class. A
 * character is classified when it is first read.
 */
export class Alphabet {
  /** The class of every UTF-16 unit read so far; 0xffff for surrogates and units not read yet. */
  readonly units: Uint16Array = new Uint16Array(0x10000).fill(UNKNOWN)
  /** Classes of characters outside the basic plane, and of lone surrogates. */
  readonly #others = new Map<number, number>()
  readonly #sets: CharacterSet[] = []
  readonly #setIds = new Map<string, number>()
  /** By class, then by set: 1 if the class is in the set. The edge is in no set. */
  readonly #members: Uint8Array[] = [new Uint8Array(0)]
  /** By class: the number of sets it is in. */
  readonly #counts: number[] = [0]
  /** Classes by a hash of their sets. */
  readonly #classIds = new Map<number, number[]>()

  /** Returns the id of a set in this alphabet. All sets must be added before the first character is classified. */
  add(set: CharacterSet): number {
    const known = this.#setIds.get(set.key)
    if (known !== undefined) return known
    const id = this.#sets.push(set) - 1
    this.#setIds.set(set.key, id)
    return id
  }

  /** The number of classes so far, including the edge. */
  get size(): number {
    return this.#members.length
  }

  contains(set: number, characterClass: number): boolean {
    return (this.#members[characterClass] as Uint8Array)[set] === 1
  }

  classOf(codePoint: number): number {
    if (codePoint <= 0xffff && (codePoint & 0xf800) !== 0xd800) {
      const known = this.units[codePoint] as number
      if (known !== UNKNOWN) return known
      const found = this.#classify(codePoint)
      this.units[codePoint] = found
      return found
    }
    let found = this.#others.get(codePoint)
    if (found === undefined) {
      found = this.#classify(codePoint)
      this.#others.set(codePoint, found)
    }
    return found
  }

  #classify(codePoint: number): number {
    const sets: number[] = []
    let hash = 0
    for (let set = 0; set < this.#sets.length; set++) {
      if (!this.#sets[set]?.has(codePoint)) continue
      sets.push(set)
      hash = Math.imul(hash ^ set, 0x01000193)
    }
    const known = this.#classIds.get(hash) ?? []
    for (const id of known) {
      const members = this.#members[id] as Uint8Array
      if (this.#counts[id] === sets.length && sets.every((set) => members[set] === 1)) return id
    }
    const members = new Uint8Array(this.#sets.length)
    for (const set of sets) members[set] = 1
    const id = this.#members.push(members) - 1
    this.#counts[id] = sets.length
    this.#classIds.set(hash, [...known, id])
    return id
  }
}
