import type { HookRecord } from '../processors/hook-record.ts'

/** Events of one kind that are emitted for one record: a processor in one hook and step. */
const MOST_EVENTS = 100

/** Bounds the events about what one processor does in one hook and step. */
export class EventLimit {
  readonly #counts = new WeakMap<HookRecord, number>()

  /** Counts an event. The first beyond the limit is to say that there are more; those after it are dropped. */
  count(record: HookRecord): 'emit' | 'truncate' | 'drop' {
    const count = (this.#counts.get(record) ?? 0) + 1
    if (count > MOST_EVENTS + 1) return 'drop'
    this.#counts.set(record, count)
    return count > MOST_EVENTS ? 'truncate' : 'emit'
  }

  /** Whether an event was counted. */
  has(record: HookRecord): boolean {
    return this.#counts.has(record)
  }
}
