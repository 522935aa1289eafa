import { isPlain, MEDIA_TYPE } from './byte-carriers.ts'

/** The value with its bytes back in place. New bytes are UTF-8: no other charset is declared beside them. */
export function filled(
  value: unknown,
  places: ReadonlyMap<unknown, { value: unknown; isNew: boolean }>,
  seen: Set<object> = new Set(),
): { value: unknown; isNew: boolean } {
  const place = places.get(value)
  if (place) return place
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) {
    return { value, isNew: false }
  }
  seen.add(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => filled(item, places, seen))
    const isSame = items.every((item, index) => item.value === value[index])
    return { value: isSame ? value : items.map((item) => item.value), isNew: false }
  }
  if (!isPlain(value)) return { value, isNew: false }
  const entries = Object.entries(value).map(([key, each]) => ({ key, each, ...filled(each, places, seen) }))
  const isNew = entries.some((entry) => entry.isNew)
  if (entries.every((entry) => entry.value === entry.each)) return { value, isNew }
  const fields = entries.map((entry) => [
    entry.key,
    isNew && MEDIA_TYPE.test(entry.key) ? withoutCharset(entry.value) : entry.value,
  ])
  return { value: Object.fromEntries(fields), isNew }
}

/** A media type without the charset of bytes that were replaced. */
export function withoutCharset<VALUE>(mediaType: VALUE): VALUE | string {
  return typeof mediaType === 'string'
    ? mediaType.replace(/;\s*charset\s*=\s*("[^"]*"|[^;]*)/gi, '')
    : mediaType
}
