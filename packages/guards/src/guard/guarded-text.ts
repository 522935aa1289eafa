import { EditedText, type EditedTextOptions } from './edited-text.ts'
import type { TextEdits } from './text-edits.ts'

/** One text that passes a scanner, whole or in pieces. What comes out is the same. */
export class GuardedText {
  readonly #text: EditedText
  /** What has not come out yet. */
  #held = ''
  #place = 0
  #out = ''

  constructor(options: EditedTextOptions) {
    const edits: TextEdits = {
      pass: (units) => {
        this.#out += this.#held.slice(this.#place, this.#place + units)
        this.#place += units
      },
      insert: (text) => {
        this.#out += text
      },
      skip: (units) => {
        this.#place += units
      },
    }
    this.#text = new EditedText(options, edits)
  }

  /** Takes the next piece and returns what can go out. */
  push(piece: string): string {
    this.#held += piece
    this.#text.push(piece)
    return this.#take()
  }

  /** The text ends here. Returns what was held back. */
  end(): string {
    this.#text.end()
    return this.#take()
  }

  #take(): string {
    const out = this.#out
    this.#out = ''
    this.#held = this.#held.slice(this.#place)
    this.#place = 0
    return out
  }
}
