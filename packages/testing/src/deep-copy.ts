/**
 * Copies arrays, plain objects, bytes, dates and URLs deeply, so that a later change of the original does not change the
 * copy. Functions, abort signals, errors and class instances are not copied.
 */
export function deepCopy<T>(value: T): T {
  return copy(value, new Map()) as T
}

function copy(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  // `slice()` of a Buffer would share its memory.
  if (value instanceof Uint8Array) return Uint8Array.prototype.slice.call(value)
  if (value instanceof Date) return new Date(value)
  if (value instanceof URL) return new URL(value)
  if (Array.isArray(value)) {
    const items: unknown[] = []
    seen.set(value, items)
    for (const item of value) items.push(copy(item, seen))
    return items
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const fields: Record<string, unknown> = {}
  seen.set(value, fields)
  for (const [key, field] of Object.entries(value)) fields[key] = copy(field, seen)
  return fields
}
