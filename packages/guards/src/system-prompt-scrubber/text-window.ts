/** The minimum number of free UTF-16 units of a new buffer: more than the length of most pieces. */
const LEAST_ROOM = 256

/** A sliding window over a streamed text. Positions are those of the whole text, in UTF-16 units. */
export class TextWindow {
  /** The buffer. Its first unit is at position {@link start}. */
  units: Uint16Array = new Uint16Array(0)
  /** The start position of the window. */
  start = 0
  /** The end of the readable text. Excludes a high surrogate at the end, which the next piece may complete. */
  end = 0
  /** Whether the text is complete. */
  isFinal = false
  /** The position up to which the current reader has read. */
  at = 0
  #length = 0

  hasRoomFor(piece: string): boolean {
    return this.#length + piece.length <= this.units.length
  }

  /** Makes room for a piece, and discards the text before `kept`. */
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

  /** Appends a piece. There must be room for it: see {@link makeRoom}. */
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

  textBetween(start: number, end: number): string {
    let text = ''
    for (let place = start - this.start; place < end - this.start; place++) {
      text += String.fromCharCode(this.units[place] as number)
    }
    return text
  }

  finish(): void {
    this.isFinal = true
    this.end = this.start + this.#length
  }
}

/** Whether the unit is the low surrogate of a pair. */
export function isSecondHalf(units: Uint16Array, index: number): boolean {
  if (((units[index] as number) & 0xfc00) !== 0xdc00) return false
  return index > 0 && ((units[index - 1] as number) & 0xfc00) === 0xd800
}
