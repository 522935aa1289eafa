import type { OpenText } from '../guard/inspector.ts'
import type { Judgement } from './verdict.ts'
import { type Window, WindowCutter, type WindowSize } from './windows.ts'

interface Pending {
  readonly window: Window
  readonly settled: Promise<void>
  outcome: { readonly judgement: Judgement } | { readonly error: unknown } | undefined
}

export interface JudgedTextOptions {
  readonly windows: WindowSize
  /** The end of the text before, which is judged with the first window. */
  readonly before: string
  /** How many windows may be pending before `push` waits for the oldest. */
  readonly mostPending: number
  readonly check: (window: Window) => Promise<Judgement>
  /** Applies a judgement to its window. */
  readonly treat: (window: Window, judgement: Judgement) => void
}

/**
 * A text of a stream, judged in windows. A window is judged while the next one arrives, and is decided when its
 * judgement is complete.
 */
export class JudgedText implements OpenText {
  readonly #options: JudgedTextOptions
  readonly #cutter: WindowCutter
  readonly #pending: Pending[] = []

  constructor(options: JudgedTextOptions) {
    this.#options = options
    this.#cutter = new WindowCutter(options.windows, options.before)
  }

  push(piece: string): Promise<void> | undefined {
    for (const window of this.#cutter.push(piece)) this.#begin(window)
    const { mostPending } = this.#options
    if (this.#pending.length > mostPending) return this.#settle(mostPending)
    this.#decide()
    return undefined
  }

  end(): Promise<void> | undefined {
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

  async #settle(most: number): Promise<void> {
    while (this.#pending.length > most) {
      await this.#pending[0]?.settled
      this.#decide()
    }
  }

  #decide(): void {
    for (let first = this.#pending[0]; first?.outcome; first = this.#pending[0]) {
      this.#pending.shift()
      if ('error' in first.outcome) throw first.outcome.error
      this.#options.treat(first.window, first.outcome.judgement)
    }
  }
}
