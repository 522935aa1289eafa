import { EditedText, type EditedTextOptions } from './edited-text.ts'
import type { TextEdits } from './text-edits.ts'

/** One text that passes a scanner, whole or in chunks. The output does not depend on how the text is cut. */
export class GuardedText {
  readonly #text: EditedText
  /** Text that is not returned yet. */
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

  /** Takes the next chunk and returns what is decided. */
  push(piece: string): string {
    this.#held += piece
    this.#text.push(piece)
    return this.#take()
  }

  /** Ends the text. Returns what was held. */
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
