import type { Owner } from './owner.ts'

export interface KeyOptions extends Owner {
  key: string
}

export interface AddToCounterOptions extends KeyOptions {
  /** A safe integer. Negative to subtract, 0 to read. */
  amount: number
  /** Adds nothing if the counter would exceed this maximum. Default: none. */
  limit?: number | undefined
  /**
   * Milliseconds until the counter is reset to 0, from its first addition. Ignored if the counter already exists.
   * Default: never.
   */
  expiresIn?: number | undefined
}

export interface Counter {
  value: number
  /** Whether the amount was added. */
  added: boolean
  /** When the counter is reset to 0. */
  expiresAt?: Date
}

export interface SetKeyOptions extends KeyOptions {
  value: string
  /** Time to live in milliseconds. Default: never expires. */
  expiresIn?: number | undefined
  /** Sets the key only if it has no value. */
  ifAbsent?: boolean | undefined
}

/** Counters and values by key. The two are independent: the same key may be a counter and a value. */
export interface CounterStore {
  /** Adds to a counter, which starts at 0. Atomic, also between processes. */
  addToCounter(options: AddToCounterOptions): Promise<Counter>
  getKey(options: KeyOptions): Promise<string | undefined>
  /** Returns whether the value was set. Atomic, also between processes. */
  setKey(options: SetKeyOptions): Promise<boolean>
  /** Returns whether there was a value. */
  deleteKey(options: KeyOptions): Promise<boolean>
}
