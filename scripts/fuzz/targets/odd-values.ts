/** Values that JSON cannot represent but a provider may return, by a placeholder string. */
const odd: Readonly<Record<string, () => unknown>> = {
  $undefined: () => undefined,
  $nan: () => Number.NaN,
  $bigint: () => 12n,
  $date: () => new Date(0),
  $url: () => new URL('https://example.com/a.png'),
  $bytes: () => new Uint8Array([1, 2]),
  $error: () => new Error('The provider failed.'),
  $symbol: () => Symbol('odd'),
  $map: () => new Map([['a', 1]]),
  $function: () => () => 1,
}

export const oddWords: readonly string[] = Object.keys(odd)

/** Replaces placeholder strings by their values. */
export function withOddValues(value: unknown): unknown {
  if (typeof value === 'string') return Object.hasOwn(odd, value) ? odd[value]?.() : value
  if (Array.isArray(value)) return value.map(withOddValues)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withOddValues(item)]))
}
