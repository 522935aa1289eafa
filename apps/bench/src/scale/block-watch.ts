/** Measures the longest time that the event loop was blocked. */
export class BlockWatch {
  #last = performance.now()
  #longest = 0
  #isOn = true

  constructor() {
    setImmediate(() => this.#tick())
  }

  /** The longest time since the last call, in milliseconds. */
  take(): number {
    this.#look()
    const longest = this.#longest
    this.#longest = 0
    return longest
  }

  end(): void {
    this.#isOn = false
  }

  #tick(): void {
    this.#look()
    if (this.#isOn) setImmediate(() => this.#tick())
  }

  #look(): void {
    const now = performance.now()
    this.#longest = Math.max(this.#longest, now - this.#last)
    this.#last = now
  }
}
