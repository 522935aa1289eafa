/** Texts in which nothing was found, of all runs. It holds the texts themselves, so none is taken for another. */
export class CleanTexts {
  static readonly #mostCharacters = 1_000_000
  readonly #texts = new Set<string>()
  #characters = 0

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  /** Forgets all others where they become too many. */
  add(text: string): void {
    if (text.length > CleanTexts.#mostCharacters || this.#texts.has(text)) return
    this.#characters += text.length
    if (this.#characters > CleanTexts.#mostCharacters) {
      this.#texts.clear()
      this.#characters = text.length
    }
    this.#texts.add(text)
  }
}
