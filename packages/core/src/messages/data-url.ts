/** A data URL (RFC 2397) of bytes or of a base64 string. */
export function toDataUrl(mediaType: string, data: Uint8Array | string): string {
  return `data:${mediaType};base64,${typeof data === 'string' ? data : toBase64(data)}`
}

/** The base64 content of a data URL; `undefined` for other URLs. Percent-encoded data is converted. */
export function fromDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  if (!url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  if (comma === -1) return undefined
  const header = url.slice('data:'.length, comma)
  const mediaType = header.split(';', 1)[0] || 'text/plain'
  const content = url.slice(comma + 1)
  if (header.endsWith(';base64')) return { mediaType, base64: content }
  return { mediaType, base64: toBase64(new TextEncoder().encode(decodeURIComponent(content))) }
}

/**
 * Base64 of bytes by `btoa`, which all runtimes have. Works in slices, because the number of arguments of a call is
 * limited.
 */
export function toBase64(bytes: Uint8Array): string {
  const sliceLength = 0x8000
  let binary = ''
  for (let start = 0; start < bytes.length; start += sliceLength) {
    binary += String.fromCharCode(...bytes.subarray(start, start + sliceLength))
  }
  return btoa(binary)
}
