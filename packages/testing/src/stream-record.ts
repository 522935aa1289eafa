/** How a call ended. `completed` also covers a stream that was cut: it closed by itself. */
export type StreamOutcome = 'open' | 'completed' | 'failed' | 'refused' | 'cancelled' | 'aborted'

/** What happened to the answer of one call. It changes while the answer is read. */
export interface StreamRecord {
  readonly method: 'doStream' | 'doGenerate'
  /** Parts the reader has pulled, `stream-start` and `response-metadata` among them. */
  readonly chunksPulled: number
  /** The reader cancelled the stream before its end. */
  readonly cancelled: boolean
  /** The abort signal of the call fired before the end. */
  readonly aborted: boolean
  readonly outcome: StreamOutcome
  /** Resolves with the outcome once there is one. */
  readonly settled: Promise<StreamOutcome>
}

export class StreamRecorder implements StreamRecord {
  readonly method: 'doStream' | 'doGenerate'
  readonly settled: Promise<StreamOutcome>
  chunksPulled = 0
  aborted = false
  outcome: StreamOutcome = 'open'
  #resolve: (outcome: StreamOutcome) => void = () => {}

  constructor(method: 'doStream' | 'doGenerate') {
    this.method = method
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get cancelled(): boolean {
    return this.outcome === 'cancelled'
  }

  settle(outcome: StreamOutcome): void {
    if (this.outcome !== 'open') return
    this.outcome = outcome
    this.#resolve(outcome)
  }
}
