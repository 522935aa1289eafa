import { JsonSpan } from './json-span.ts'

/**
 * Extracts the JSON from a text that arrives in chunks: without a fence or sentences around it. A value must begin at
 * the start of a line. If the text turns out not to contain JSON, the removed text is emitted at the end.
 */
export class JsonExtractor {
  #before = ''
  /** Whether only white space has come since the line began. */
  #atLineStart = true
  #body: string | undefined
  readonly #span = new JsonSpan()
  #after: string | undefined

  /** Takes the next chunk. Returns what can be emitted. */
  push(piece: string): string {
    if (this.#after !== undefined) {
      this.#after += piece
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

  /** Ends the text. Returns what was held and belongs to it. */
  end(): string {
    if (this.#body === undefined) return this.#before
    return this.#after !== undefined && !isJson(this.#body) ? this.#after : ''
  }

  #inside(piece: string): string {
    const end = this.#span.push(piece)
    const out = end === -1 ? piece : piece.slice(0, end)
    this.#body += out
    if (end !== -1) this.#after = piece.slice(end)
    return out
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
