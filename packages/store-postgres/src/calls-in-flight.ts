import { closed } from '@millrace/core/storage'

/** The calls of a store that have not ended yet; after `close`, no others begin. */
export class CallsInFlight {
  readonly #calls = new Set<Promise<unknown>>()
  #closed = false

  /** @throws MillraceError `STORAGE_CLOSED` */
  async add<RESULT>(begin: () => Promise<RESULT>): Promise<RESULT> {
    if (this.#closed) throw closed('PostgresStore')
    const call = begin()
    this.#calls.add(call)
    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  /** Fulfilled when the last call has ended, however it ended. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#calls)
  }
}
