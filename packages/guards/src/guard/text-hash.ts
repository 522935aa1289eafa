/** A hash that recognizes a text without keeping it. Text is added in chunks. */
export class TextHash {
  #first = 0x811c9dc5
  #second = 0x9e3779b9
  #length = 0

  add(text: string, start = 0, end: number = text.length): this {
    let first = this.#first
    let second = this.#second
    for (let place = start; place < end; place++) {
      const unit = text.charCodeAt(place)
      first = Math.imul(first ^ unit, 0x01000193)
      second = Math.imul(second + unit, 0x85ebca6b) ^ (second >>> 13)
    }
    this.#first = first
    this.#second = second
    this.#length += end - start
    return this
  }

  get key(): string {
    return `${this.#length}:${this.#first}:${this.#second}`
  }
}

export function hashOf(text: string): string {
  return new TextHash().add(text).key
}
