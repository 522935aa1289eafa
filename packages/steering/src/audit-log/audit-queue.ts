import { drainAtExit } from './drain-at-exit.ts'

/** Where an audit log is written. */
export interface AuditSink {
  /** Writes records in order, each one line of JSON without line end. Called for one batch at a time. */
  write(lines: readonly string[]): Promise<void> | void
  /** Like `write`, but synchronous: for what is left when the process exits, also during a `write`. */
  writeSync?(lines: readonly string[]): void
  /** Called after the last `write`. */
  close?(): Promise<void> | void
}

/** Records that could not be written. */
export interface AuditLogLossEvent {
  readonly error: unknown
  /** The number of lost records. */
  readonly lost: number
}

export interface AuditQueueOptions {
  /** The maximum number of pending records, and their maximum length in UTF-16 units. */
  readonly maxPending: number
  readonly maxPendingLength: number
  /** The delays before the retries of a failed write, in milliseconds. Their number is the number of retries. */
  readonly retryDelaysMs: readonly number[]
  /** Must not throw. */
  readonly onFailure: (failure: AuditLogLossEvent) => void
  /** Returns the record that says how many records are missing. */
  readonly gapLine: (lost: number) => string
}

/** The maximum length of a batch, in UTF-16 units. */
const MAX_BATCH_LENGTH = 262_144

interface Entry {
  readonly line: string
  readonly settle?: ((error?: unknown) => void) | undefined
}

/** Lines that wait for the sink. They are written in order, one batch at a time, and their number is limited. */
export class AuditQueue {
  readonly #sink: AuditSink
  readonly #options: AuditQueueOptions
  #entries: Entry[] = []
  #writing: readonly Entry[] = []
  #length = 0
  /** The number of records lost since the last one that was added. */
  #lost = 0
  #pump: Promise<void> | undefined

  constructor(sink: AuditSink, options: AuditQueueOptions) {
    this.#sink = sink
    this.#options = options
  }

  /** Adds a line. If the queue is full, the line is lost and a gap is recorded in its place. */
  add(line: string): void {
    this.#put({ line })
  }

  /** Like `add`. Resolves when the line is written, rejects if it is lost. */
  keep(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#put({ line, settle: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  }

  /** Resolves when all lines so far are written or lost. */
  async flush(): Promise<void> {
    await this.#pump
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#sink.close?.()
  }

  /** Writes synchronously, at process exit, what the sink may not have written yet. */
  drain(): void {
    const entries = [...this.#writing, ...this.#entries]
    const gap = this.#lost > 0 ? [this.#options.gapLine(this.#lost)] : []
    if (entries.length + gap.length > 0) {
      this.#sink.writeSync?.([...entries.map(({ line }) => line), ...gap])
    }
  }

  #put(entry: Entry): void {
    const { maxPending, maxPendingLength } = this.#options
    const isFull = this.#entries.length >= maxPending || this.#length + entry.line.length > maxPendingLength
    if (isFull) {
      const error = new Error(`The audit log's sink is behind by ${this.#entries.length} records.`)
      this.#lost++
      this.#options.onFailure({ error, lost: 1 })
      entry.settle?.(error)
      return
    }
    this.#addGap()
    this.#push(entry)
    if (this.#pump) return
    drainAtExit.add(this)
    this.#pump = this.#run()
  }

  #push(entry: Entry): void {
    this.#entries.push(entry)
    this.#length += entry.line.length
  }

  async #run(): Promise<void> {
    // Records that are added synchronously are written in one batch.
    await undefined
    while (this.#entries.length > 0) {
      this.#writing = this.#take()
      const error = await this.#write(this.#writing.map(({ line }) => line))
      const written = this.#writing
      this.#writing = []
      for (const { settle } of written) settle?.(error)
      if (error !== undefined) {
        this.#options.onFailure({ error, lost: written.length })
        this.#lost += written.length
      }
      // If the last write succeeded, a gap at the end is written now, otherwise with the next record.
      if (this.#entries.length === 0 && this.#lost > 0 && error === undefined) this.#addGap()
    }
    // Synchronously after the loop: the next record finds no pump and starts one.
    this.#pump = undefined
    drainAtExit.delete(this)
  }

  #addGap(): void {
    if (this.#lost === 0) return
    this.#push({ line: this.#options.gapLine(this.#lost) })
    this.#lost = 0
  }

  #take(): Entry[] {
    let count = 0
    let length = 0
    for (const { line } of this.#entries) {
      if (count > 0 && length + line.length > MAX_BATCH_LENGTH) break
      length += line.length
      count++
    }
    const taken = this.#entries.slice(0, count)
    this.#entries = this.#entries.slice(count)
    this.#length -= length
    return taken
  }

  /** Returns the error of the last attempt if all failed. */
  async #write(lines: readonly string[]): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#sink.write(lines)
        return undefined
      } catch (error) {
        const delay = this.#options.retryDelaysMs[attempt]
        if (delay === undefined) return error ?? new Error('The sink failed.')
        await new Promise((resolve) => setTimeout(resolve, delay))
      }
    }
  }
}
