import type { Owner } from './owner.ts'

export interface KeyOptions extends Owner {
  key: string
}

export interface AddToCounterOptions extends KeyOptions {
  /** A safe integer; negative to give back, 0 to look. */
  amount: number
  /** Adds nothing if the counter would become larger than this. Default: none. */
  limit?: number | undefined
  /**
   * Milliseconds until the counter is 0 again, from the addition that began it. It has no effect on a counter that has
   * begun. Default: never.
   */
  expiresIn?: number | undefined
}

export interface Counter {
  value: number
  /** Whether the amount was added. */
  added: boolean
  /** When the counter is 0 again. */
  expiresAt?: Date
}

export interface SetKeyOptions extends KeyOptions {
  value: string
  /** Milliseconds. Default: never. */
  expiresIn?: number | undefined
  /** Sets the key only if it has no value. */
  ifAbsent?: boolean | undefined
}

/** Counters and values by key. The two have nothing to do with each other: one key may be both. */
export interface CounterStore {
  /** Adds to a counter, which begins at 0. Atomic, also between processes. */
  addToCounter(options: AddToCounterOptions): Promise<Counter>
  getKey(options: KeyOptions): Promise<string | undefined>
  /** Returns whether the value was set. Atomic, also between processes. */
  setKey(options: SetKeyOptions): Promise<boolean>
  /** Returns whether there was a value. */
  deleteKey(options: KeyOptions): Promise<boolean>
}
