/**
 * Executes at most `limit` calls of a step at the same time, in order. No call starts while the outcome of an earlier
 * one waits to be processed, because a processor may end the run on it.
 */
export class CallQueue {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  /** Positions of calls that have an outcome. */
  readonly #finished = new Set<number>()
  #running = 0
  /** The position of the next call to be processed. */
  #next: number

  constructor(limit: number, first: number) {
    this.#limit = limit
    this.#next = first
  }

  /** Executes the call at this position when it is its turn. */
  run<T>(position: number, execute: () => Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#running--
        this.finish(position)
      }
      // Starts synchronously: after an `await` there could be an outcome that must be processed first.
      this.#waiting.push(() => resolve(execute().finally(end)))
      this.#start()
    })
  }

  /** Records that the call at this position has an outcome. */
  finish(position: number): void {
    this.#finished.add(position)
    this.#start()
  }

  /** Records that the outcomes up to this position were processed. */
  markProcessed(position: number): void {
    this.#next = position + 1
    this.#start()
  }

  #start(): void {
    while (this.#running < this.#limit && !this.#finished.has(this.#next)) {
      const start = this.#waiting.shift()
      if (!start) return
      this.#running++
      start()
    }
  }
}
