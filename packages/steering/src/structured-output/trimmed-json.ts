import { JsonSpan } from './json-span.ts'

/**
 * The JSON in a text that arrives in pieces: without the fence or the sentence before it and behind it. A value begins
 * at the beginning of a line. What is left out comes out in the end where the text turns out not to hold JSON.
 */
export class TrimmedJson {
  #before = ''
  /** Only white space has come since the line began. */
  #atLineStart = true
  #body: string | undefined
  readonly #span = new JsonSpan()
  #behind: string | undefined

  /** Takes the next piece and returns what can go out. */
  push(piece: string): string {
    if (this.#behind !== undefined) {
      this.#behind += piece
      return ''
    }
    if (this.#body !== undefined) return this.#inside(piece)
    for (let place = 0; place < piece.length; place++) {
      const character = piece[place] as string
      if (character === '\n') this.#atLineStart = true
      else if (this.#atLineStart && (character === '{' || character === '[')) {
        this.#body = ''
        return this.#inside(piece.slice(place))
      } else if (character.trim() !== '') this.#atLineStart = false
    }
    this.#before += piece
    return ''
  }

  /** The text ends here. Returns what was held back and belongs to it. */
  end(): string {
    if (this.#body === undefined) return this.#before
    return this.#behind !== undefined && !isJson(this.#body) ? this.#behind : ''
  }

  #inside(piece: string): string {
    const end = this.#span.push(piece)
    const out = end === -1 ? piece : piece.slice(0, end)
    this.#body += out
    if (end !== -1) this.#behind = piece.slice(end)
    return out
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
