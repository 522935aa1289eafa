import type { Replacement } from '@millrace/guards/guard'

/**
 * Replaces a value by its type and 48 bits of its HMAC-SHA-256 (RFC 2104): equal values get equal placeholders, which
 * cannot be guessed without the key. The call loads the library that computes it.
 */
export async function keyedHash(key: string | Uint8Array): Promise<Replacement> {
  const [{ hmac }, { sha256 }] = await Promise.all([
    import('@noble/hashes/hmac.js'),
    import('@noble/hashes/sha2.js'),
  ])
  const encoder = new TextEncoder()
  const bytes = typeof key === 'string' ? encoder.encode(key) : key
  return ({ type }, value) => {
    const digest = hmac(sha256, bytes, encoder.encode(value)).subarray(0, 6)
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    return `[${labelOf(type)}_${hex}]`
  }
}

/** Converts a type to the characters that a placeholder may have. */
function labelOf(type: string): string {
  return type
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?![A-Z])/, 'X')
    .slice(0, 60)
}
