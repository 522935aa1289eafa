import { clearScreenDown, cursorTo, moveCursor } from 'node:readline'
import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import stringWidth from 'string-width'

export type Format = Parameters<typeof styleText>[0]

/** What a stream has where it is a terminal. */
export type TerminalStream = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** Writes text that may be taken back, on a terminal and in a pipe. Colours only where the terminal wants them. */
export class Terminal {
  readonly #output: TerminalStream
  #atLineStart = true
  /** What was written since the last mark. */
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

  /** Writes text from outside. Control characters stay out: they could move the cursor or forge what was shown. */
  write(text: string): void {
    this.#put(printable(text))
  }

  /** Writes a line of its own, on a new line if need be. */
  line(text = ''): void {
    this.freshLine()
    this.#put(`${text}\n`)
  }

  freshLine(): void {
    if (!this.#atLineStart) this.#put('\n')
  }

  /** From here on, {@link takeBack} removes. */
  mark(): void {
    this.freshLine()
    this.#marked = ''
  }

  /** Removes what was written since the mark. In a pipe, or where it has scrolled away, it stays: returns `false`. */
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

  /** Rows of the terminal from the mark to the cursor. */
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

/** Text without control characters, line ends excepted. */
export function printable(text: string): string {
  return text.replaceAll('\t', ' ').replace(/(?!\n)\p{Cc}/gu, '')
}
