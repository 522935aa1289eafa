import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import stringWidth from 'string-width'

export type Format = Parameters<typeof styleText>[0]

/** A stream that may be a terminal. */
export type TerminalStream = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** Writes text that can be retracted, to a terminal or a pipe. Uses colors if the terminal supports them. */
export class Terminal {
  readonly #output: TerminalStream
  #atLineStart = true
  /** The text since the last mark. */
  #marked = ''

  constructor(output: TerminalStream) {
    this.#output = output
  }

  get columns(): number {
    return this.#output.columns ?? 80
  }

  style(format: Format, text: string): string {
    return styleText(format, text, { stream: this.#output })
  }

  /** Writes untrusted text. Control characters are removed, because they could move the cursor or forge output. */
  write(text: string): void {
    this.#put(printable(text))
  }

  /** Writes a line, starting on a new line. */
  line(text = ''): void {
    this.freshLine()
    this.#put(`${text}\n`)
  }

  freshLine(): void {
    if (!this.#atLineStart) this.#put('\n')
  }

  /** Sets the mark for {@link takeBack}. */
  mark(): void {
    this.freshLine()
    this.#marked = ''
  }

  /**
   * Removes the text since the mark. Returns `false` if it cannot be removed: in a pipe, or if it has scrolled out of view.
   */
  takeBack(): boolean {
    const { rows = 0, isTTY = false } = this.#output
    const height = this.#height()
    if (!isTTY || height > rows) {
      this.freshLine()
      return false
    }
    cursorTo(this.#output, 0)
    moveCursor(this.#output, 0, 1 - height)
    clearScreenDown(this.#output)
    this.#atLineStart = true
    this.#marked = ''
    return true
  }

  /** The terminal rows from the mark to the cursor. */
  #height(): number {
    const lines = this.#marked.split('\n')
    return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / this.columns)), 0)
  }

  #put(text: string): void {
    if (text === '') return
    this.#output.write(text)
    this.#atLineStart = text.endsWith('\n')
    this.#marked += text
  }
}

/** Removes control characters, except line breaks. */
export function printable(text: string): string {
  return text.replaceAll('\t', ' ').replace(/(?!\n)\p{Cc}/gu, '')
}
