import type { CounterStore } from '@millrace/core'
import { type Account, addTo } from './account.ts'

/** An amount that is reserved for a call until its actual use is known. */
export interface Reservation {
  readonly account: Account
  readonly amount: number
  /** The value of the account after the reservation. */
  readonly value: number
  /** The id of the lease, which returns the amount if this process dies. */
  readonly lease: string | undefined
}

/** An account that has too little left. */
export interface Shortage {
  readonly account: Account
  readonly left: number
  /** The current value of the account's counter. */
  readonly value: number
}

/** The maximum number of leases that one search for expired leases reads. */
const MAX_SEARCHED = 1_000

/**
 * Accounts that cannot be overdrawn. What a call may use is reserved before it, by an addition that the store refuses
 * beyond the limit; what it has not used is returned afterwards. If a process dies, its lease expires, and the next
 * process that finds the account full returns the amount. Deleting a lease succeeds only once, so nothing is returned
 * twice. A process that dies between the addition and the write of its lease has used the amount.
 */
export class Ledger {
  readonly #store: CounterStore
  readonly #leaseMs: number
  readonly #searches = new Map<string, Promise<boolean>>()

  /** @param options.leaseMs The maximum duration of a call. Other processes may return an expired lease */
  constructor(store: CounterStore, { leaseMs }: { leaseMs: number }) {
    this.#store = store
    this.#leaseMs = leaseMs
  }

  /** Reserves an amount, or nothing if it exceeds what is left. `isLimited: false` ignores the limit. */
  async reserve(
    account: Account,
    amount: number,
    { isLimited }: { isLimited: boolean },
  ): Promise<Reservation | Shortage> {
    let counter = await addTo(this.#store, account, { amount, isLimited })
    if (!counter.added && (await this.#releaseExpired(account))) {
      counter = await addTo(this.#store, account, { amount, isLimited })
    }
    if (!counter.added)
      return { account, left: Math.max(0, account.limit - counter.value), value: counter.value }
    const lease =
      amount > 0 && this.#needsLease(account) ? await this.#writeLease(account, amount) : undefined
    return { account, amount, value: counter.value, lease }
  }

  /** Replaces the reserved amount by what was used. Returns what counts now. */
  async settle({ account, amount, lease }: Reservation, used: number): Promise<number> {
    const isHeld = lease === undefined || (await this.#store.deleteKey(keyOf(account, lease)))
    const change = isHeld ? used - amount : used
    const { value } = await addTo(this.#store, account, { amount: change, isLimited: false })
    return value + account.carried
  }

  /** A counter that expires before a lease does needs none. */
  #needsLease({ expiresIn }: Account): boolean {
    return expiresIn === undefined || expiresIn > 2 * this.#leaseMs
  }

  async #writeLease(account: Account, amount: number): Promise<string> {
    const { resourceId, key, expiresIn } = account
    const numbers = { resourceId, key: `${key}:leases`, amount: 1, expiresIn }
    const { value: number } = await this.#store.addToCounter(numbers)
    const lease = `${key}:lease:${number}`
    const value = JSON.stringify({ amount, until: Date.now() + this.#leaseMs })
    await this.#store.setKey({ ...keyOf(account, lease), value, expiresIn })
    return lease
  }

  /** Returns the amounts of expired leases. The result tells whether there were any. */
  #releaseExpired(account: Account): Promise<boolean> {
    if (!this.#needsLease(account)) return Promise.resolve(false)
    const name = `${account.resourceId ?? ''}\n${account.key}`
    let search = this.#searches.get(name)
    if (!search) {
      search = this.#releaseExpiredOf(account).finally(() => this.#searches.delete(name))
      this.#searches.set(name, search)
    }
    return search
  }

  async #releaseExpiredOf(account: Account): Promise<boolean> {
    const { resourceId, key, expiresIn } = account
    const { value: newest } = await this.#store.addToCounter({ resourceId, key: `${key}:leases`, amount: 0 })
    const marker = keyOf(account, `${key}:ended`)
    const ended = Number((await this.#store.getKey(marker)) ?? 0)
    let found = false
    let endedNow = ended
    for (let number = ended + 1; number <= Math.min(newest, ended + MAX_SEARCHED); number++) {
      const lease = keyOf(account, `${key}:lease:${number}`)
      const value = await this.#store.getKey(lease)
      const { amount, until } = value === undefined ? ENDED : (JSON.parse(value) as Lease)
      if (until > Date.now()) continue
      if (amount > 0 && (await this.#store.deleteKey(lease))) {
        await addTo(this.#store, account, { amount: -amount, isLimited: false })
        found = true
      }
      if (endedNow === number - 1) endedNow = number
    }
    // All leases up to here have ended, which cannot change: an outdated marker only makes the next search longer.
    if (endedNow > ended) await this.#store.setKey({ ...marker, value: String(endedNow), expiresIn })
    return found
  }
}

interface Lease {
  readonly amount: number
  readonly until: number
}

const ENDED: Lease = { amount: 0, until: 0 }

function keyOf({ resourceId }: Account, key: string): { resourceId: string | undefined; key: string } {
  return { resourceId, key }
}
