/** Text that was yielded, without the text itself: a long stream would otherwise be in memory twice. */
export class SaidText {
  #length = 0
  #high = 0
  #low = 0

  get length(): number {
    return this.#length
  }

  add(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      this.#high = Math.imul(this.#high ^ unit, 0x85ebca6b) ^ this.#low
      this.#low = Math.imul(this.#low, 0x9e3779b1) + unit + 1
    }
    this.#length += text.length
  }

  /** Whether the text begins with what was added. */
  isStartOf(text: string): boolean {
    const start = new SaidText()
    start.add(text.slice(0, this.#length))
    return start.#length === this.#length && start.#high === this.#high && start.#low === this.#low
  }
}
