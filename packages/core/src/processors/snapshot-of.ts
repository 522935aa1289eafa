import { isPlain } from './shape.ts'

/** Maximum number of objects in a snapshot. Beyond it, objects are compared by reference. */
export const MAX_OBJECTS = 10_000

const MAX_LEVELS = 64

/** The number of objects that may still be copied. */
export interface Budget {
  left: number
}

/**
 * A copy to compare with later. Plain objects and lists are copied within the budget; everything else, and what is
 * nested deeper, is kept by reference. Strings are not copied, so long texts cost nothing.
 */
export function snapshotOf(value: unknown, budget: Budget = { left: MAX_OBJECTS }, level = 0): unknown {
  if (typeof value !== 'object' || value === null || level > MAX_LEVELS || budget.left <= 0) return value
  if (Array.isArray(value)) {
    budget.left--
    return value.map((element) => snapshotOf(element, budget, level + 1))
  }
  if (!isPlain(value)) return value
  budget.left--
  const copy: Record<string, unknown> = { ...value }
  for (const key in copy) {
    const field = copy[key]
    // A property named `__proto__` cannot be assigned, so it is compared by reference.
    if (typeof field !== 'object' || field === null || key === '__proto__') continue
    copy[key] = snapshotOf(field, budget, level + 1)
  }
  return copy
}

/** Deep equality. Unchanged strings are compared by reference. */
export function isSame(a: unknown, b: unknown, level = 0): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || level > MAX_LEVELS)
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

/** An undefined field equals a missing one. */
function sameFields(a: Record<string, unknown>, b: Record<string, unknown>, level: number): boolean {
  for (const key of Object.keys(a)) {
    if (!isSame(a[key], Object.hasOwn(b, key) ? b[key] : undefined, level + 1)) return false
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false
  return true
}
