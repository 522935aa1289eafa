import { TextHash } from './text-hash.ts'

/**
 * What a value reads like as JSON, in short: the same for the same JSON. `undefined` for what is none. Its strings are read
 * as they are, since to write them as JSON takes long where much has to be escaped.
 */
export function valueKey(value: unknown): string | undefined {
  if (typeof value === 'string') return new TextHash().add(value).key
  try {
    const hash = new TextHash()
    if (!isPlain(value)) return undefined
    if (!addTo(hash, value)) {
      const json = JSON.stringify(value)
      if (json === undefined) return undefined
      return valueKey(JSON.parse(json) as unknown)
    }
    return `json ${hash.key}`
  } catch {
    return undefined
  }
}

function isPlain(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}

/** Adds a value to a hash. Returns false where only `JSON.stringify` knows what becomes of it. */
function addTo(hash: TextHash, value: unknown): boolean {
  if (typeof value === 'string') {
    // With its length, a string is not taken for what stands around it.
    hash.add(`"${value.length}"`).add(value)
    return true
  }
  if (value === null || typeof value === 'boolean') {
    hash.add(String(value))
    return true
  }
  if (typeof value === 'number') {
    hash.add(Number.isFinite(value) ? `${value},` : 'null')
    return true
  }
  if (typeof value !== 'object' || 'toJSON' in value) return false
  if (Array.isArray(value)) {
    hash.add('[')
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (!addTo(hash, isPlain(item) ? item : null)) return false
    }
    hash.add(']')
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  hash.add('{')
  for (const [name, item] of Object.entries(value)) {
    if (!isPlain(item)) continue
    hash.add(`"${name.length}"`).add(name)
    if (!addTo(hash, item)) return false
  }
  hash.add('}')
  return true
}
