import { closed } from '@millrace/core/storage'

/** Tracks the running calls of a store. After `close`, new calls are rejected. */
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

  /** Resolves when all running calls have settled. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#calls)
  }
}
