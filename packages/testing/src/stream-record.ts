/** How a call ended. `completed` includes a stream that `cut()` has closed. */
export type StreamOutcome = 'open' | 'completed' | 'failed' | 'refused' | 'cancelled' | 'aborted'

/** The state of the answer to one call. It changes while the answer is read. */
export interface StreamRecord {
  readonly method: 'doStream' | 'doGenerate'
  /** Parts that were read, including `stream-start` and `response-metadata`. */
  readonly chunksPulled: number
  /** The reader cancelled the stream before its end. */
  readonly cancelled: boolean
  /** The abort signal of the call was aborted before the end. */
  readonly aborted: boolean
  readonly outcome: StreamOutcome
  /** Resolves with the outcome when the call has ended. */
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
