import { drainAtExit } from './drain-at-exit.ts'

/** Where a log is kept. */
export interface AuditSink {
  /** Keeps records, each one line of JSON without its end, in order. Called for one batch at a time. */
  write(lines: readonly string[]): Promise<void> | void
  /** As `write`, at once: for what is left when the process exits by itself, in the middle of a `write` too. */
  writeSync?(lines: readonly string[]): void
  /** After the last `write`. */
  close?(): Promise<void> | void
}

/** Records that could not be kept. */
export interface AuditLogLossEvent {
  readonly error: unknown
  /** How many records were lost. */
  readonly lost: number
}

export interface AuditQueueOptions {
  /** The most records, and the most UTF-16 units of them, that wait for the sink. */
  readonly maxPending: number
  readonly maxPendingLength: number
  /** How long a failed write waits for its next attempt, in milliseconds; as many attempts more as there are. */
  readonly retryDelaysMs: readonly number[]
  /** Must not throw. */
  readonly onFailure: (failure: AuditLogLossEvent) => void
  /** The line that says how many records are missing at its place. */
  readonly gapLine: (lost: number) => string
}

/** At most this many UTF-16 units go to the sink at once. */
const LONGEST_BATCH = 262_144

interface Entry {
  readonly line: string
  readonly settle?: ((error?: unknown) => void) | undefined
}

/** Lines on their way to the sink: in order, one batch at a time, and never more waiting than allowed. */
export class AuditQueue {
  readonly #sink: AuditSink
  readonly #options: AuditQueueOptions
  #entries: Entry[] = []
  #writing: readonly Entry[] = []
  #length = 0
  /** Records lost since the last that went in. */
  #lost = 0
  #pump: Promise<void> | undefined

  constructor(sink: AuditSink, options: AuditQueueOptions) {
    this.#sink = sink
    this.#options = options
  }

  /** Puts a line in. Where there is no room it is lost, and a gap is noted in its place. */
  add(line: string): void {
    this.#put({ line })
  }

  /** As `add`, and resolves when the line is kept. Rejects where it is lost. */
  keep(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#put({ line, settle: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  }

  /** Resolves when everything put in so far is kept or lost. */
  async flush(): Promise<void> {
    await this.#pump
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#sink.close?.()
  }

  /** What the sink does not have for certain, in order, when the process exits. */
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
    this.#noteGap()
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
    // Records of the same moment go out together.
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
      // A gap at the end is written at once to a sink that works, else with the next record.
      if (this.#entries.length === 0 && this.#lost > 0 && error === undefined) this.#noteGap()
    }
    // Before anything else happens: the next record finds no pump and begins one.
    this.#pump = undefined
    drainAtExit.delete(this)
  }

  #noteGap(): void {
    if (this.#lost === 0) return
    this.#push({ line: this.#options.gapLine(this.#lost) })
    this.#lost = 0
  }

  #take(): Entry[] {
    let count = 0
    let length = 0
    for (const { line } of this.#entries) {
      if (count > 0 && length + line.length > LONGEST_BATCH) break
      length += line.length
      count++
    }
    const taken = this.#entries.slice(0, count)
    this.#entries = this.#entries.slice(count)
    this.#length -= length
    return taken
  }

  /** Returns the error of the last attempt, where none worked. */
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
