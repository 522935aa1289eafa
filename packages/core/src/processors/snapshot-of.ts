import { isPlain } from './shape.ts'

/** Objects looked at before the rest counts as it is by reference: what one look may cost. */
export const MOST_OBJECTS = 10_000

const MOST_LEVELS = 64

/** How many objects may still be copied. */
export interface Budget {
  left: number
}

/**
 * A copy to compare with later. Plain objects and lists are copied as far as the budget goes; all else, and what is
 * nested deeper, is kept by reference. Strings are never copied, so the size of a text costs nothing.
 */
export function snapshotOf(value: unknown, budget: Budget = { left: MOST_OBJECTS }, level = 0): unknown {
  if (typeof value !== 'object' || value === null || level > MOST_LEVELS || budget.left <= 0) return value
  if (Array.isArray(value)) {
    budget.left--
    return value.map((element) => snapshotOf(element, budget, level + 1))
  }
  if (!isPlain(value)) return value
  budget.left--
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const field = copy[key]
    // What is called `__proto__` cannot be assigned: it is compared by reference.
    if (typeof field !== 'object' || field === null || key === '__proto__') continue
    copy[key] = snapshotOf(field, budget, level + 1)
  }
  return copy
}

/** Whether two values say the same. Strings that were not changed are compared by reference. */
export function isSame(a: unknown, b: unknown, level = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || level > MOST_LEVELS)
    return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let index = 0; index < a.length; index++) if (!isSame(a[index], b[index], level + 1)) return false
    return true
  }
  if (Array.isArray(b)) return false
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime()
  if (!isPlain(a) || !isPlain(b)) return false
  return sameFields(a as Record<string, unknown>, b as Record<string, unknown>, level)
}

/** A field that is `undefined` and one that is not there are the same. */
function sameFields(a: Record<string, unknown>, b: Record<string, unknown>, level: number): boolean {
  for (const key of Object.keys(a)) {
    if (!isSame(a[key], Object.hasOwn(b, key) ? b[key] : undefined, level + 1)) return false
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false
  return true
}

/** Remembers what something was, to say later whether it still is. */
export class Look {
  readonly #now: () => LookedAt
  #data: unknown
  #refs: readonly unknown[] | undefined

  /** @param now What is looked at, at the moment */
  constructor(now: () => LookedAt) {
    this.#now = now
  }

  /** Remembers its current value. What has not changed is not copied again. */
  see(): void {
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

  /** Whether it is another than when it was seen last. */
  get changed(): boolean {
    const { data, refs } = this.#now()
    return !isSame(data, this.#data) || !isSame(refs, this.#refs)
  }
}

export interface LookedAt {
  /** Compared with a copy, so that an edit in place shows. */
  data: unknown
  /** Compared by reference: models, tools, schemas. */
  refs?: readonly unknown[]
}
