/** Finds the end of a JSON object or array that arrives in chunks. It reads only brackets and strings. */
export class JsonSpan {
  #depth = 0
  #inString = false
  #escaped = false

  /** Takes the next chunk. Returns the position in it after the end of the value, or -1. */
  push(piece: string): number {
    for (let place = 0; place < piece.length; place++) {
      const character = piece[place] as string
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (character === '\\') this.#escaped = true
        else if (character === '"') this.#inString = false
      } else if (character === '"') {
        this.#inString = true
      } else if (character === '{' || character === '[') {
        this.#depth++
      } else if ((character === '}' || character === ']') && --this.#depth <= 0) {
        return place + 1
      }
    }
    return -1
  }
}
