import type { Judgement } from './verdict.ts'
import { type Window, WindowCutter, type WindowSize } from './windows.ts'

interface Pending {
  readonly window: Window
  readonly settled: Promise<void>
  outcome: { readonly judgement: Judgement } | { readonly error: unknown } | undefined
}

export interface JudgedTextOptions {
  readonly windows: WindowSize
  /** How many windows may wait for their judgement before the text has to wait too. */
  readonly mostPending: number
  readonly check: (window: Window) => Promise<Judgement>
  /** Says what stands in place of a window, once its judgement is in. */
  readonly treat: (window: Window, judgement: Judgement) => string
}

/**
 * One text of a stream. A window is checked while the next one arrives, and goes out when its judgement is in.
 */
export class JudgedText {
  readonly #options: JudgedTextOptions
  readonly #cutter: WindowCutter
  readonly #pending: Pending[] = []
  /** All that has gone out. */
  left = ''

  constructor(options: JudgedTextOptions) {
    this.#options = options
    this.#cutter = new WindowCutter(options.windows)
  }

  /** Takes the next piece and returns what can go out. */
  push(piece: string): string | Promise<string> {
    for (const window of this.#cutter.push(piece)) this.#begin(window)
    const { mostPending } = this.#options
    return this.#pending.length > mostPending ? this.#settle(mostPending) : this.#release()
  }

  /** The text ends here. Resolves with what was held back. */
  end(): string | Promise<string> {
    const last = this.#cutter.end()
    if (last) this.#begin(last)
    return this.#settle(0)
  }

  #begin(window: Window): void {
    const { check } = this.#options
    const pending: { -readonly [KEY in keyof Pending]: Pending[KEY] } = {
      window,
      outcome: undefined,
      settled: Promise.resolve(),
    }
    pending.settled = check(window).then(
      (judgement) => {
        pending.outcome = { judgement }
      },
      (error) => {
        pending.outcome = { error }
      },
    )
    this.#pending.push(pending)
  }

  async #settle(most: number): Promise<string> {
    let out = ''
    while (this.#pending.length > most) {
      await this.#pending[0]?.settled
      out += this.#release()
    }
    return out
  }

  #release(): string {
    let out = ''
    for (let first = this.#pending[0]; first?.outcome; first = this.#pending[0]) {
      this.#pending.shift()
      if ('error' in first.outcome) throw first.outcome.error
      out += this.#options.treat(first.window, first.outcome.judgement)
    }
    this.left += out
    return out
  }
}
