import { joined } from './json-value.ts'

/** As much of a name as is kept. */
const LONGEST = 64
/** How deep names are known. */
const DEEPEST = 1_000

/** Knows, of JSON that arrives in pieces, the name of the property whose value is being read. */
export class JsonNames {
  /** By how deep it is: the name of the list or object. */
  readonly #outer: { name: string | undefined; isList: boolean }[] = []
  /** Lists and objects below the deepest. */
  #below = 0
  #inString = false
  /** The string that is being read, or was read last; the name of what stands behind it may be empty. */
  #string: string | undefined
  /** The name of the value to come, once its colon has been read. */
  #name: string | undefined

  /**
   * The name of the string that is read next, or of what stands between strings, such as a number: of a property, behind
   * that of the one around it.
   */
  get current(): string | undefined {
    return this.#inString ? this.#nameOf(this.#name) : this.#nameOf(this.#string)
  }

  #nameOf(name: string | undefined): string | undefined {
    const outer = this.#outer.at(-1)
    if (outer?.isList) return outer.name
    return name === undefined ? undefined : joined(outer?.name, name)
  }

  /** A quotation mark: a string begins or ends. */
  quote(): void {
    this.#inString = !this.#inString
    if (this.#inString) this.#string = ''
  }

  /** What stands in a string, or between strings. */
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
