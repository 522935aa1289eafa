/**
 * A deep copy of data: of lists and plain objects, dates, maps, sets, bytes and URLs. What else there is, such as a
 * function or an object of the application's classes, cannot be copied and is shared. Objects that are shared within the
 * data, or contain themselves, are so in the copy; it may be nested to any depth.
 */
export function copyData<T>(data: T): T {
  if (typeof data !== 'object' || data === null) return data
  const copies = new Map<object, unknown>()
  const pending: [from: object, to: object][] = []
  const copied = copyOf(data)
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to] = next
    if (Array.isArray(from)) for (const item of from) (to as unknown[]).push(copyOf(item))
    else for (const [key, value] of Object.entries(from)) setOwn(to, key, copyOf(value))
  }
  return copied as T

  function copyOf(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    const isList = Array.isArray(value)
    const copy = isList
      ? []
      : isPlain(value)
        ? Object.create(Object.getPrototypeOf(value))
        : copyBuiltIn(value)
    copies.set(value, copy)
    if (isList || isPlain(value)) pending.push([value, copy])
    return copy
  }
}

/** Copies data now, and gives the copy later, or throws why there is none. */
export function copyOnce(data: unknown): () => unknown {
  try {
    const copy = copyData(data)
    return () => copy
  } catch (cause) {
    return () => {
      throw cause
    }
  }
}

/** Of any realm, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function setOwn(object: object, key: string, value: unknown): void {
  // Assigned, it would be the prototype.
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else (object as Record<string, unknown>)[key] = value
}

function copyBuiltIn(value: object): unknown {
  if (value instanceof URL) return new URL(value.href)
  const isCopied =
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  if (!isCopied) return value
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}
