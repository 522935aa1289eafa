/** Deeply frozen copies. */
const frozen = new WeakSet<object>()

/** Marks an object as a deeply frozen copy without other references, so that it need not be copied again. */
export function markFrozen(copied: object): void {
  frozen.add(copied)
}

/** A deeply frozen copy. Objects become plain objects with their readable properties; functions are left out. */
export function frozenCopy<T>(value: T): T {
  return copy(value, new Map()) as T
}

function copy(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null || frozen.has(value)) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (value instanceof Date) return Object.freeze(new Date(value))
  // Typed arrays cannot be frozen, so they are copied.
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

/** Returns `undefined` if a getter throws, a buffer is detached, or the nesting overflows the stack. */
function copyOf(value: object, key: string, copies: Map<object, unknown>): unknown {
  try {
    return copy((value as Record<string, unknown>)[key], copies)
  } catch {
    return undefined
  }
}
