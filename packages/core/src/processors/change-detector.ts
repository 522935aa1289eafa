import { isSame, snapshotOf } from './snapshot-of.ts'

/** Captures a value, to detect later changes. */
export class ChangeDetector {
  readonly #now: () => ComparedValue
  #data: unknown
  #refs: readonly unknown[] | undefined

  /** @param now Returns the current value */
  constructor(now: () => ComparedValue) {
    this.#now = now
  }

  /** Captures the current value. Unchanged data is not copied again. */
  capture(): void {
    const { data, refs } = this.#now()
    if (this.#data === undefined || !isSame(data, this.#data)) this.#data = snapshotOf(data)
    this.#refs = refs
  }

  get before(): unknown {
    return this.#data
  }

  get after(): unknown {
    return this.#now().data
  }

  /** Whether the value differs from the last capture. */
  get changed(): boolean {
    const { data, refs } = this.#now()
    return !isSame(data, this.#data) || !isSame(refs, this.#refs)
  }
}

export interface ComparedValue {
  /** Compared with a copy, to detect edits in place. */
  data: unknown
  /** Compared by reference: models, tools, schemas. */
  refs?: readonly unknown[]
}
