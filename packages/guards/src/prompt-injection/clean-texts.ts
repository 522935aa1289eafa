/**
 * A cache of texts without findings, shared by all runs. It stores the texts themselves, so there are no collisions.
 */
export class CleanTexts {
  static readonly #mostCharacters = 1_000_000
  readonly #texts = new Set<string>()
  #characters = 0

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  /** Adds a text. Clears the cache first if it would become too large. */
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
