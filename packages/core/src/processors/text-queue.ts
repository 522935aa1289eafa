/** Text that came in and has not gone out: pieces in order, of the first perhaps only an end. */
export class TextQueue {
  #pieces: string[] = []
  #first = 0
  /** Characters of the first piece that are gone. */
  #offset = 0
  /** How many characters there are. */
  length = 0

  push(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    this.length += piece.length
  }

  /**
   * Adds `piece` and takes `text`, where `text` is the first piece and the only one. Returns false, and does nothing,
   * where it is not.
   */
  exchange(piece: string, text: string): boolean {
    if (this.#offset > 0 || this.#pieces.length !== this.#first + 1) return false
    if (this.#pieces[this.#first] !== text || piece === '') return false
    this.#pieces[this.#first] = piece
    this.length = piece.length
    return true
  }

  /** Takes from the front what of `text` is there. Returns how many of its characters that were. */
  take(text: string): number {
    let position = 0
    while (position < text.length && this.length > 0) {
      const piece = this.#pieces[this.#first] as string
      const count = Math.min(piece.length - this.#offset, text.length - position)
      const isThere = piece.startsWith(text.slice(position, position + count), this.#offset)
      const taken = isThere ? count : commonLength(piece.slice(this.#offset), text.slice(position))
      position += taken
      this.#drop(taken)
      if (!isThere) break
    }
    return position
  }

  /** All of it. */
  clear(): string {
    const [first = '', ...others] = this.#pieces.slice(this.#first)
    const text = first.slice(this.#offset) + others.join('')
    this.#pieces = []
    this.#first = 0
    this.#offset = 0
    this.length = 0
    return text
  }

  #drop(count: number): void {
    if (count === 0) return
    this.length -= count
    this.#offset += count
    if (this.#offset < (this.#pieces[this.#first] as string).length) return
    this.#offset = 0
    this.#first++
    if (this.#first < 64 || this.#first * 2 < this.#pieces.length) return
    this.#pieces = this.#pieces.slice(this.#first)
    this.#first = 0
  }
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
