/** Receives a line including its line break. Calls do not overlap. */
export type LineSink = (line: string) => void | Promise<void>

/**
 * Appends to a file that only its owner can read. Creates it if it does not exist, and does not follow a
 * symbolic link.
 */
export function fileSink(path: string): LineSink {
  return async (line) => {
    // Loaded on first use, because with another sink there may be no file system.
    const [{ open }, { constants }] = await Promise.all([import('node:fs/promises'), import('node:fs')])
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
    const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0), 0o600)
    try {
      await file.chmod(0o600)
      await file.appendFile(line)
    } finally {
      await file.close()
    }
  }
}

/** Passes lines to a sink, one after the other. A failed line does not stop the following ones. */
export class LineQueue {
  readonly #sink: LineSink
  #last: Promise<void> = Promise.resolve()
  #pending = 0

  constructor(sink: LineSink) {
    this.#sink = sink
  }

  /** The number of waiting lines. */
  get pending(): number {
    return this.#pending
  }

  /** Rejects if the sink fails for this line. */
  add(line: string): Promise<void> {
    this.#pending++
    const written = this.#last.then(() => this.#sink(line))
    this.#last = written.then(
      () => this.#settle(),
      () => this.#settle(),
    )
    return written
  }

  /** Resolves when all lines so far are written or have failed. */
  flush(): Promise<void> {
    return this.#last
  }

  #settle(): void {
    this.#pending--
  }
}
