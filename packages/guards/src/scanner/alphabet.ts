import type { CharacterSet } from './character-set.ts'

/** The class of no character: before the text begins and after it has ended. */
export const EDGE = 0
/** In {@link Alphabet.units}: not classified yet, or a surrogate. */
export const UNKNOWN = 0xffff

/**
 * The characters as one automaton tells them apart: two that are in the same of its sets have one class. A character
 * is classified when it is first met.
 */
export class Alphabet {
  /** The class of every UTF-16 unit met so far that is no surrogate; 0xffff for others. */
  readonly units: Uint16Array = new Uint16Array(0x10000).fill(UNKNOWN)
  /** Characters outside the basic plane, and lone surrogates. */
  readonly #others = new Map<number, number>()
  readonly #sets: CharacterSet[] = []
  readonly #setIds = new Map<string, number>()
  /** By class, then by set. The edge is in no set. */
  readonly #members: Uint8Array[] = [new Uint8Array(0)]
  readonly #classIds = new Map<string, number>()

  /** The id of a set within this alphabet. All sets are known before the first character is classified. */
  add(set: CharacterSet): number {
    const known = this.#setIds.get(set.key)
    if (known !== undefined) return known
    const id = this.#sets.push(set) - 1
    this.#setIds.set(set.key, id)
    return id
  }

  /** How many classes there are so far, the edge included. */
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
    const members = Uint8Array.from(this.#sets, (set) => (set.has(codePoint) ? 1 : 0))
    const key = members.join('')
    const known = this.#classIds.get(key)
    if (known !== undefined) return known
    const id = this.#members.push(members) - 1
    this.#classIds.set(key, id)
    return id
  }
}
