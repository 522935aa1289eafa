/** A cache of the most recently used values, by text. */
export class LruCache<VALUE> {
  readonly #values = new Map<string, VALUE>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(text: string): VALUE | undefined {
    const value = this.#values.get(text)
    if (value === undefined) return undefined
    this.#values.delete(text)
    this.#values.set(text, value)
    return value
  }

  set(text: string, value: VALUE): void {
    this.#values.delete(text)
    this.#values.set(text, value)
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value as string)
  }
}
