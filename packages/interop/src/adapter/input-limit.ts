import { MillraceError } from '@millrace/core'

/** A time limit for processing input outside of a model call. */
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
      `The processors took longer than ${timeout} ms for the input. Raise the option timeout, or find the slow processor.`,
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
