/** More than most pieces have, in UTF-16 units. */
const LEAST_ROOM = 256

/** A text as far as it has arrived, without what no reader reads again. Places are those of the whole text, in UTF-16 units. */
export class TextWindow {
  /** The text from {@link start} on. */
  units: Uint16Array = new Uint16Array(0)
  /** Where the window begins. */
  start = 0
  /** Up to here it may be read: to the end, but for half of a character that another piece may complete. */
  end = 0
  /** Whether no more comes. */
  isFinal = false
  /** Up to here the reader under way has read. */
  at = 0
  #length = 0

  hasRoomFor(piece: string): boolean {
    return this.#length + piece.length <= this.units.length
  }

  /** Makes room for a piece, and forgets what stands before `kept`. */
  makeRoom(piece: string, kept: number): void {
    const left = this.units.subarray(kept - this.start, this.#length)
    const needed = left.length + piece.length
    if (needed <= this.units.length / 2) this.units.set(left)
    else {
      const units = new Uint16Array(needed + Math.max(LEAST_ROOM, needed))
      units.set(left)
      this.units = units
    }
    this.#length = left.length
    this.start = kept
  }

  /** There must be room for it. */
  add(piece: string): void {
    const { units } = this
    let length = this.#length
    let unit = 0
    for (let index = 0; index < piece.length; index++) {
      unit = piece.charCodeAt(index)
      units[length++] = unit
    }
    this.#length = length
    this.end = this.start + length - ((unit & 0xfc00) === 0xd800 ? 1 : 0)
  }

  finish(): void {
    this.isFinal = true
    this.end = this.start + this.#length
  }
}

export function codePointAt(units: Uint16Array, index: number, length: number): number {
  const unit = units[index] as number
  if ((unit & 0xfc00) !== 0xd800 || index + 1 >= length) return unit
  const next = units[index + 1] as number
  return (next & 0xfc00) === 0xdc00 ? ((unit & 0x3ff) << 10) + (next & 0x3ff) + 0x10000 : unit
}

/** Whether it is the second half of a character, of which the first has been counted. */
export function isSecondHalf(units: Uint16Array, index: number): boolean {
  if (((units[index] as number) & 0xfc00) !== 0xdc00) return false
  return index > 0 && ((units[index - 1] as number) & 0xfc00) === 0xd800
}
