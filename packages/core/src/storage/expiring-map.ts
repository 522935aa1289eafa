import type { KeyColumns } from './counter-arguments.ts'

interface Entry<VALUE> {
  value: VALUE
  /** Milliseconds since 1970. */
  expiresAt: number | undefined
}

/** Minimum number of sets between two sweeps of expired entries. */
const MIN_SETS_BETWEEN_SWEEPS = 1_000

/**
 * A map by owner and key whose entries expire. It contains at most twice as many entries as are live, or 1,000 more.
 * Setting an entry takes amortized constant time.
 */
export class ExpiringMap<VALUE> {
  readonly #owners = new Map<string, Map<string, Entry<VALUE>>>()
  #untilSweep = MIN_SETS_BETWEEN_SWEEPS

  get({ owner, key }: KeyColumns): Entry<VALUE> | undefined {
    const entry = this.#owners.get(owner)?.get(key)
    return entry && isLive(entry, Date.now()) ? entry : undefined
  }

  set({ owner, key }: KeyColumns, entry: Entry<VALUE>): void {
    const entries = this.#owners.get(owner) ?? new Map<string, Entry<VALUE>>()
    this.#owners.set(owner, entries)
    entries.set(key, entry)
    if (--this.#untilSweep === 0) this.#untilSweep = Math.max(this.#sweep(), MIN_SETS_BETWEEN_SWEEPS)
  }

  /** Returns whether there was a value. */
  delete(key: KeyColumns): boolean {
    const isThere = this.get(key) !== undefined
    this.#owners.get(key.owner)?.delete(key.key)
    return isThere
  }

  deleteWhere(owner: string, matches: (value: VALUE) => boolean): void {
    const entries = this.#owners.get(owner)
    for (const [key, { value }] of entries ?? []) if (matches(value)) entries?.delete(key)
  }

  deleteOwner(owner: string): void {
    this.#owners.delete(owner)
  }

  /** Number of entries, including expired ones. */
  get size(): number {
    let size = 0
    for (const entries of this.#owners.values()) size += entries.size
    return size
  }

  #sweep(): number {
    const now = Date.now()
    for (const [owner, entries] of this.#owners) {
      for (const [key, entry] of entries) if (!isLive(entry, now)) entries.delete(key)
      if (entries.size === 0) this.#owners.delete(owner)
    }
    return this.size
  }
}

function isLive({ expiresAt }: Entry<unknown>, now: number): boolean {
  return expiresAt === undefined || expiresAt > now
}
