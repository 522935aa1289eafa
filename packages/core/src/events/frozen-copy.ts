/**
 * A deep copy that cannot be changed. Objects become plain ones, with what can be read of them; functions are left out.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, new Map()) as T
}

function copy(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (value instanceof Date) return Object.freeze(new Date(value))
  // Bytes cannot be frozen, only copied.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return structuredClone(value)
  const made: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
  copies.set(value, made)
  if (value instanceof Error) Object.assign(made, { name: value.name, message: value.message })
  for (const key of Object.keys(value)) {
    Object.defineProperty(made, key, {
      value: copyOf(value, key, copies),
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
