import type { HookRecord } from '../processors/hook-record.ts'

/** Maximum number of events of one kind for a record, which is a processor in one hook and step. */
const MAX_EVENTS = 100

/** Limits the number of events for a processor in one hook and step. */
export class EventLimit {
  readonly #counts = new WeakMap<HookRecord, number>()

  /** Counts an event. The first one above the limit is marked as truncated; later ones are dropped. */
  count(record: HookRecord): 'emit' | 'truncate' | 'drop' {
    const count = (this.#counts.get(record) ?? 0) + 1
    if (count > MAX_EVENTS + 1) return 'drop'
    this.#counts.set(record, count)
    return count > MAX_EVENTS ? 'truncate' : 'emit'
  }

  /** Whether an event was counted. */
  has(record: HookRecord): boolean {
    return this.#counts.has(record)
  }
}
