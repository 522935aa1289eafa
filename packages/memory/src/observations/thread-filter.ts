/**
 * Size in bytes of a Bloom filter of thread ids: about 5 kB in Base64, however many ids it has. With 1,000
 * threads, 1 in 5,000 other ids is a false positive.
 */

const BYTES = 4_096
const HASHES = 4

/** Adds threads to a filter. */
export function addThreads(filter: string | undefined, threadIds: readonly string[]): string {
  const bytes = toBytes(filter)
  for (const threadId of threadIds) {
    for (const bit of bitsOf(threadId)) bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7))
  }
  return toText(bytes)
}

/** Whether a thread may have been added. There are no false negatives, and few false positives. */
export function hasThread(filter: string | undefined, threadId: string): boolean {
  if (filter === undefined) return false
  const bytes = toBytes(filter)
  return bitsOf(threadId).every((bit) => ((bytes[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0)
}

/** The union of the filters. `undefined` if there are none. */
export function joinFilters(filters: readonly string[]): string | undefined {
  if (filters.length < 2) return filters[0]
  const joined = new Uint8Array(BYTES)
  for (const filter of filters) {
    for (const [index, byte] of toBytes(filter).entries()) joined[index] = (joined[index] ?? 0) | byte
  }
  return toText(joined)
}

/** FNV-1a hashes with different seeds. */
function bitsOf(threadId: string): number[] {
  return Array.from({ length: HASHES }, (_, seed) => {
    let hash = 0x811c9dc5 ^ seed
    for (let index = 0; index < threadId.length; index++) {
      hash = Math.imul(hash ^ threadId.charCodeAt(index), 0x01000193)
    }
    // FNV-1a does not mix the first characters well into the low bits.
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) & (BYTES * 8 - 1)
  })
}

function toBytes(filter: string | undefined): Uint8Array {
  const bytes = new Uint8Array(BYTES)
  const text = atob(filter ?? '')
  for (let index = 0; index < Math.min(text.length, BYTES); index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

function toText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
