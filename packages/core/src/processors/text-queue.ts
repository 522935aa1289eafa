/** A queue of text: pieces in order. The first piece may be partly consumed. */
export class TextQueue {
  #pieces: string[] = []
  #first = 0
  /** Number of consumed characters of the first piece. */
  #offset = 0
  /** Number of characters in the queue. */
  length = 0

  push(piece: string): void {
    if (piece === '') return
    this.#pieces.push(piece)
    this.length += piece.length
  }

  /** Removes the longest common prefix with `text`. Returns its length. */
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

  /** Empties the queue and returns its text. */
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
