/**
 * Lets at most `limit` calls of a step execute at the same time; the others start in their order. None starts while the
 * outcome of an earlier one is still to be processed, since a processor may end the run over it.
 */
export class CallQueue {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  /** Calls whose outcome is there, by position. */
  readonly #finished = new Set<number>()
  #running = 0
  /** The position of the call that is heard next. */
  #next: number

  constructor(limit: number, first: number) {
    this.#limit = limit
    this.#next = first
  }

  /** Executes the call at this position when its turn has come. */
  run<T>(position: number, execute: () => Promise<T>): Promise<T> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#running--
        this.finish(position)
      }
      // At its turn it starts at once: a moment later there may be an outcome that has to be processed first.
      this.#waiting.push(() => resolve(execute().finally(end)))
      this.#start()
    })
  }

  /** The outcome of the call at this position is there. */
  finish(position: number): void {
    this.#finished.add(position)
    this.#start()
  }

  /** The outcomes up to this position have been heard. */
  hear(position: number): void {
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
