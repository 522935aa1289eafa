import { parseAddToCounter, parseKey, parseSetKey } from './counter-arguments.ts'
import type { AddToCounterOptions, Counter, KeyOptions, SetKeyOptions } from './counter-store.ts'
import { ExpiringMap } from './expiring-map.ts'
import { invalidInput } from './store-errors.ts'

/** The counters and keys of {@link InMemoryStore}, by owner and key. */
export class InMemoryCounters {
  readonly #counters = new ExpiringMap<number>()
  readonly #keys = new ExpiringMap<string>()

  add(options: AddToCounterOptions): Counter {
    const { amount, limit, expiresAt, ...key } = parseAddToCounter(options)
    const found = this.#counters.get(key)
    const sum = (found?.value ?? 0) + amount
    const added = limit === undefined || amount <= 0 || sum <= limit
    if (added && !Number.isSafeInteger(sum)) {
      throw invalidInput('The counter would exceed the safe integers. Count in a larger unit.')
    }
    const begins = added && amount !== 0
    const counter = begins ? { value: sum, expiresAt: found ? found.expiresAt : expiresAt } : found
    if (counter && begins) this.#counters.set(key, counter)
    return {
      value: counter?.value ?? 0,
      added,
      ...(counter?.expiresAt !== undefined && { expiresAt: new Date(counter.expiresAt) }),
    }
  }

  getKey(options: KeyOptions): string | undefined {
    return this.#keys.get(parseKey(options))?.value
  }

  setKey(options: SetKeyOptions): boolean {
    const { value, expiresAt, ifAbsent, ...key } = parseSetKey(options)
    if (ifAbsent && this.#keys.get(key)) return false
    this.#keys.set(key, { value, expiresAt })
    return true
  }

  deleteKey(options: KeyOptions): boolean {
    return this.#keys.delete(parseKey(options))
  }

  deleteOwner(owner: string): void {
    this.#counters.deleteOwner(owner)
    this.#keys.deleteOwner(owner)
  }
}
