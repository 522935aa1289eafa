/** An object with one of these keys as its only key encodes a value that JSON does not have. */
const URL_KEY = '$url'
const BYTES_KEY = '$bytes'
const ESCAPED_KEY = '$escaped'
const KEYS: ReadonlySet<string> = new Set([URL_KEY, BYTES_KEY, ESCAPED_KEY])

/** Encodes a value as one line of JSON. URLs and bytes become objects that {@link fromJsonLine} decodes. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(encoded(value))
}

/** @throws SyntaxError */
export function fromJsonLine(line: string): unknown {
  return decoded(JSON.parse(line))
}

function encoded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof URL) return { [URL_KEY]: value.href }
  if (value instanceof Uint8Array) return { [BYTES_KEY]: toBase64(value) }
  if (value instanceof Date) return value
  if (Array.isArray(value)) return value.map(encoded)
  const copy = mapped(value, encoded)
  const [only, other] = Object.keys(value)
  return only !== undefined && other === undefined && KEYS.has(only) ? { [ESCAPED_KEY]: copy } : copy
}

function decoded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(decoded)
  const [only, other] = Object.keys(value)
  const inner = only === undefined ? undefined : (value as Record<string, unknown>)[only]
  if (other === undefined && typeof inner === 'string') {
    if (only === URL_KEY) return new URL(inner)
    if (only === BYTES_KEY) return fromBase64(inner)
  }
  if (other === undefined && only === ESCAPED_KEY && typeof inner === 'object' && inner !== null) {
    return mapped(inner, decoded)
  }
  return mapped(value, decoded)
}

/** Uses `fromEntries`, because `__proto__` can be a key of parsed JSON. */
function mapped(value: object, map: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, map(inner)]))
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
