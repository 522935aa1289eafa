/**
 * A deep copy of lists, plain objects, dates, maps, sets, bytes and URLs. Other values, such as functions and
 * instances of classes, cannot be copied and are shared. Shared references and cycles are preserved. Works at any
 * nesting depth.
 */
export function copyData<T>(data: T): T {
  if (typeof data !== 'object' || data === null) return data
  // Shallow copies whose items are not copied yet.
  const pending: object[] = []
  let copies: Map<object, object> | undefined
  const copied = copyOf(data)
  for (let copy = pending.pop(); copy; copy = pending.pop()) {
    if (Array.isArray(copy)) {
      for (let index = 0; index < copy.length; index++)
        if (isObject(copy[index])) copy[index] = known(copy[index])
    } else {
      const fields = copy as Record<string, unknown>
      for (const key of Object.keys(fields))
        if (isObject(fields[key])) set(fields, key, known(fields[key] as object))
    }
  }
  return copied as T

  function known(value: object): object {
    copies ??= new Map([[data as object, copied]])
    const before = copies.get(value)
    if (before !== undefined) return before
    const copy = copyOf(value)
    copies.set(value, copy)
    return copy
  }

  function copyOf(value: object): object {
    const copy = shallow(value)
    if (copy === undefined) return copyBuiltIn(value)
    pending.push(copy)
    return copy
  }
}

/** Copies data now. Returns a function that returns the copy, or throws the error of copying. */
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** `undefined` for anything but lists and plain objects. */
function shallow(value: object): object | undefined {
  if (Array.isArray(value)) return value.slice()
  const prototype = Object.getPrototypeOf(value)
  if (prototype === null) return Object.assign(Object.create(null), value)
  // Includes plain objects of other realms.
  return prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
    ? { ...value }
    : undefined
}

function set(fields: Record<string, unknown>, key: string, value: unknown): void {
  // An assignment would set the prototype.
  if (key === '__proto__') Object.defineProperty(fields, key, { value })
  else fields[key] = value
}

function copyBuiltIn(value: object): object {
  if (value instanceof Date) return new Date(value)
  if (value instanceof URL) return new URL(value.href)
  const isCopied =
    value instanceof Map || value instanceof Set || value instanceof ArrayBuffer || ArrayBuffer.isView(value)
  if (!isCopied) return value
  try {
    return structuredClone(value)
  } catch {
    return value
  }
}
