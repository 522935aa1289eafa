import type { CounterStore } from '@millrace/core'
import { type Account, addTo } from './account.ts'

/** Part of an account that is held for a call until it is known what the call has used. */
export interface Held {
  readonly account: Account
  readonly amount: number
  /** The account after it was taken. */
  readonly value: number
  /** Says what is held and until when, should this process not live to give it back. */
  readonly lease: string | undefined
}

/** What an account has left, where it was too little. */
export interface Shortage {
  readonly account: Account
  readonly left: number
  /** What the account's counter stands at. */
  readonly value: number
}

/** The most leases looked at in one search for those that are over. */
const SEARCH = 1_000

/**
 * Accounts that are never overdrawn: what a call may use is taken before, by an addition that the store refuses beyond
 * the limit, and what it has not used is given back after. What is held by a process that died is given back by whoever
 * next finds the account full, once its lease is over. A lease is taken out of the store by one only, so nothing is
 * given back twice.
 */
export class Ledger {
  readonly #store: CounterStore
  readonly #leaseMs: number
  readonly #searches = new Map<string, Promise<boolean>>()

  /** @param options.leaseMs How long a call may take at most; a lease that is over can be given back by others */
  constructor(store: CounterStore, { leaseMs }: { leaseMs: number }) {
    this.#store = store
    this.#leaseMs = leaseMs
  }

  /** Takes an amount, or nothing where that is more than is left. `isLimited: false` takes it whatever is left. */
  async take(
    account: Account,
    amount: number,
    { isLimited }: { isLimited: boolean },
  ): Promise<Held | Shortage> {
    let counter = await addTo(this.#store, account, { amount, isLimited })
    if (!counter.added && (await this.#giveBackOver(account))) {
      counter = await addTo(this.#store, account, { amount, isLimited })
    }
    if (!counter.added)
      return { account, left: Math.max(0, account.limit - counter.value), value: counter.value }
    const lease =
      amount > 0 && this.#needsLease(account) ? await this.#writeLease(account, amount) : undefined
    return { account, amount, value: counter.value, lease }
  }

  /** Puts what was used in the place of what was held. Returns what counts now. */
  async settle({ account, amount, lease }: Held, used: number): Promise<number> {
    const isHeld = lease === undefined || (await this.#store.deleteKey(keyOf(account, lease)))
    const change = isHeld ? used - amount : used
    const { value } = await addTo(this.#store, account, { amount: change, isLimited: false })
    return value + account.carried
  }

  /** An account that ends before a lease does gives everything back by itself. */
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

  /** Gives back what is held by leases that are over. Returns whether there was anything. */
  #giveBackOver(account: Account): Promise<boolean> {
    if (!this.#needsLease(account)) return Promise.resolve(false)
    const name = `${account.resourceId ?? ''}\n${account.key}`
    let search = this.#searches.get(name)
    if (!search) {
      search = this.#search(account).finally(() => this.#searches.delete(name))
      this.#searches.set(name, search)
    }
    return search
  }

  async #search(account: Account): Promise<boolean> {
    const { resourceId, key, expiresIn } = account
    const { value: newest } = await this.#store.addToCounter({ resourceId, key: `${key}:leases`, amount: 0 })
    const marker = keyOf(account, `${key}:ended`)
    const ended = Number((await this.#store.getKey(marker)) ?? 0)
    let found = false
    let endedNow = ended
    for (let number = ended + 1; number <= Math.min(newest, ended + SEARCH); number++) {
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
    // All up to here have ended, which stays true: an older mark only makes the next search longer.
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
