import type { Pace } from '../src/scripted-model.ts'

/** Lets the model emit as many words as a test allows. */
export class HeldPace {
  #allowed = Number.POSITIVE_INFINITY
  #waiting = new Set<() => void>()

  /** Lets the model emit only so many further words. */
  hold(words: number): void {
    this.#allowed = words
  }

  release(): void {
    this.#allowed = Number.POSITIVE_INFINITY
    for (const resume of this.#waiting) resume()
    this.#waiting.clear()
  }

  /** Whether a model is waiting. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  readonly pace: Pace = async (signal) => {
    if (this.#allowed-- > 0) return
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(resolve)
        reject(signal?.reason)
      }
      if (signal?.aborted) return abort()
      this.#waiting.add(resolve)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }
}
