import { MillraceError } from '@millrace/core'

/** How long the processors may take with the input, where that is no part of a call of a model. */
export class InputLimit {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout> | undefined

  constructor(timeout: number | undefined, signal: AbortSignal | undefined) {
    const abort = (): void => this.#controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    if (timeout === undefined) return
    const error = new MillraceError(
      'RUN_TIMEOUT',
      `The processors took longer than ${timeout} ms with the input. Raise the timeout option, or find out what was slow.`,
    )
    this.#timer = setTimeout(() => this.#controller.abort(error), timeout)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  async wait<T>(work: Promise<T>): Promise<T> {
    const { signal } = this
    const aborted = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      return await Promise.race([work, aborted])
    } finally {
      clearTimeout(this.#timer)
    }
  }
}
