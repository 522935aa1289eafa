import { codePointIn } from '../code-point.ts'

/** A buffer of at most this many UTF-16 units is cheap to allocate. */
const SMALL = 32
/** The size of a larger one, in UTF-16 units. */
const LARGE = 512

/**
 * The end of a text that arrives in chunks. Single units are read from {@link units}: reading them from a string that
 * was just concatenated would copy it.
 */
export class TextBuffer {
  text = ''
  /** The units of `text`. What follows them is undefined. */
  units: Uint16Array = NO_UNITS

  get length(): number {
    return this.text.length
  }

  add(piece: string): void {
    const { length } = this.text
    const end = length + piece.length
    if (end > this.units.length) this.#grow(end)
    const { units } = this
    for (let place = length; place < end; place++) units[place] = piece.charCodeAt(place - length)
    this.text += piece
  }

  /** Removes the first units. */
  drop(length: number): void {
    this.units.copyWithin(0, length, this.text.length)
    this.text = this.text.slice(length)
  }

  /** The code point at a position; half of a surrogate pair if the other half is not in the buffer. */
  codePointAt(place: number): number {
    return codePointIn(this.units, place, this.text.length)
  }

  /** The position after the character at `place`. */
  after(place: number): number {
    return this.codePointAt(place) > 0xffff ? place + 2 : place + 1
  }

  #grow(length: number): void {
    const { units } = this
    const least = length <= SMALL ? SMALL : units.length === 0 ? length : LARGE
    this.units = new Uint16Array(Math.max(least, length, 2 * units.length))
    this.units.set(units)
  }
}

const NO_UNITS = new Uint16Array(0)
