import { type KeyColumns, parseAddToCounter, parseKey, parseSetKey } from './counter-arguments.ts'
import type { AddToCounterOptions, Counter, KeyOptions, SetKeyOptions } from './counter-store.ts'
import { invalidInput } from './store-errors.ts'

interface Expiring<VALUE> {
  value: VALUE
  expiresAt: number | undefined
}

/** Counters and keys of {@link InMemoryStore}, by owner and key. */
export class InMemoryCounters {
  readonly #counters = new Map<string, Map<string, Expiring<number>>>()
  readonly #keys = new Map<string, Map<string, Expiring<string>>>()

  add(options: AddToCounterOptions): Counter {
    const { amount, limit, expiresAt, ...key } = parseAddToCounter(options)
    const counter = find(this.#counters, key) ?? { value: 0, expiresAt }
    const value = counter.value + amount
    const added = limit === undefined || amount <= 0 || value <= limit
    if (added && !Number.isSafeInteger(value)) {
      throw invalidInput('The counter would leave the safe integers. Count in a larger unit.')
    }
    if (added && amount !== 0) {
      counter.value = value
      put(this.#counters, key, counter)
    }
    return {
      value: counter.value,
      added,
      ...(counter.expiresAt !== undefined && { expiresAt: new Date(counter.expiresAt) }),
    }
  }

  getKey(options: KeyOptions): string | undefined {
    return find(this.#keys, parseKey(options))?.value
  }

  setKey(options: SetKeyOptions): boolean {
    const { value, expiresAt, ifAbsent, ...key } = parseSetKey(options)
    if (ifAbsent && find(this.#keys, key)) return false
    put(this.#keys, key, { value, expiresAt })
    return true
  }

  deleteKey(options: KeyOptions): boolean {
    const key = parseKey(options)
    return find(this.#keys, key) !== undefined && (this.#keys.get(key.owner)?.delete(key.key) ?? false)
  }

  deleteOwner(owner: string): void {
    this.#counters.delete(owner)
    this.#keys.delete(owner)
  }
}

function find<VALUE>(
  entries: Map<string, Map<string, Expiring<VALUE>>>,
  { owner, key }: KeyColumns,
): Expiring<VALUE> | undefined {
  const found = entries.get(owner)?.get(key)
  return found?.expiresAt !== undefined && found.expiresAt <= Date.now() ? undefined : found
}

/** Sets an entry, and forgets those of the owner that have expired. */
function put<VALUE>(
  entries: Map<string, Map<string, Expiring<VALUE>>>,
  { owner, key }: KeyColumns,
  entry: Expiring<VALUE>,
): void {
  const owned = entries.get(owner) ?? new Map<string, Expiring<VALUE>>()
  entries.set(owner, owned)
  const now = Date.now()
  owned.delete(key)
  // The oldest come first: those without expiry are the only ones that stop the search early.
  for (const [other, { expiresAt }] of owned) {
    if (expiresAt === undefined || expiresAt > now) break
    owned.delete(other)
  }
  owned.set(key, entry)
}
