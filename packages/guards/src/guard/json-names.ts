import { joined } from './json-value.ts'

/** How much of a name is kept, in UTF-16 units. */
const LONGEST = 64
/** The maximum depth to which names are tracked. */
const DEEPEST = 1_000

/** Tracks the name of the property whose value is being read, in JSON that arrives in chunks. */
export class JsonNames {
  /** The open lists and objects, the innermost last, with the names of their properties. */
  readonly #outer: { name: string | undefined; isList: boolean }[] = []
  /** The number of open lists and objects below the maximum depth. */
  #below = 0
  #inString = false
  /** The string that is being read, or was read last. It may be the name of the next value. */
  #string: string | undefined
  /** The name of the next value, known once its colon is read. */
  #name: string | undefined

  /**
   * The name for the string that is read next, or for what is between strings, such as a number: the name of its
   * property, after the name of the property around it.
   */
  get current(): string | undefined {
    return this.#inString ? this.#nameOf(this.#name) : this.#nameOf(this.#string)
  }

  #nameOf(name: string | undefined): string | undefined {
    const outer = this.#outer.at(-1)
    if (outer?.isList) return outer.name
    return name === undefined ? undefined : joined(outer?.name, name)
  }

  /** Reads a quotation mark: a string begins or ends. */
  quote(): void {
    this.#inString = !this.#inString
    if (this.#inString) this.#string = ''
  }

  /** Reads text within a string, or between strings. */
  read(text: string): void {
    if (this.#inString) {
      const read = this.#string ?? ''
      if (read.length < LONGEST) this.#string = read + text.slice(0, LONGEST)
      return
    }
    for (const [character] of text.matchAll(/[[\]{}:,]/g)) this.#structure(character)
  }

  #structure(character: string): void {
    switch (character) {
      case '{':
      case '[':
        if (this.#outer.length === DEEPEST) this.#below++
        else this.#outer.push({ name: this.#nameOf(this.#name), isList: character === '[' })
        this.#name = undefined
        return
      case '}':
      case ']':
        if (this.#below > 0) this.#below--
        else this.#outer.pop()
        this.#name = undefined
        return
      case ':':
        this.#name = this.#string
        return
      default:
        this.#name = undefined
    }
  }
}
