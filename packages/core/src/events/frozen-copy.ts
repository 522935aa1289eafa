/** Copies that are frozen already, to their depths. */
const frozen = new WeakSet<object>()

/** Says of an object that it is a copy nobody else has, frozen with all that is in it: it need not be copied again. */
export function markFrozen(copied: object): void {
  frozen.add(copied)
}

/**
 * A deep copy that cannot be changed. Objects become plain ones, with what can be read of them; functions are left out.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, new Map()) as T
}

function copy(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null || frozen.has(value)) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (value instanceof Date) return Object.freeze(new Date(value))
  // Bytes cannot be frozen, only copied.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return structuredClone(value)
  const made: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
  copies.set(value, made)
  if (value instanceof Error) Object.assign(made, { name: value.name, message: value.message })
  for (const key of Object.keys(value)) {
    const copied = copyOf(value, key, copies)
    if (key !== '__proto__') (made as Record<string, unknown>)[key] = copied
    else
      Object.defineProperty(made, key, {
        value: copied,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return Object.freeze(made)
}

/** A getter of the application's may throw, bytes may be gone, and what is nested too deep ends where the stack does. */
function copyOf(value: object, key: string, copies: Map<object, unknown>): unknown {
  try {
    return copy((value as Record<string, unknown>)[key], copies)
  } catch {
    return undefined
  }
}
