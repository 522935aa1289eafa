/** A data URL (RFC 2397) of bytes or of a base64 string. */
export function toDataUrl(mediaType: string, data: Uint8Array | string): string {
  return `data:${mediaType};base64,${typeof data === 'string' ? data : toBase64(data)}`
}

/** The content of a data URL. */
export interface DataUrlContent {
  mediaType: string
  base64: string
  /** The declared encoding of a text, in lower case. */
  charset?: string
}

/** What a URL parser removes or ignores before and in the scheme. */
const DATA_SCHEME = /^[^!-\uffff]*d[\t\n\r]*a[\t\n\r]*t[\t\n\r]*a[\t\n\r]*:/i

/**
 * The content of a data URL as `fetch` reads it: the scheme and `;base64` in any case, percent-encoding resolved. Data
 * without `;base64` is converted. `undefined` for other URLs.
 *
 * @throws URIError for data in which a `%` is not followed by two digits
 */
export function fromDataUrl(url: string): DataUrlContent | undefined {
  const scheme = DATA_SCHEME.exec(url)?.[0]
  const comma = url.indexOf(',')
  if (scheme === undefined || comma === -1) return undefined
  const header = url.slice(scheme.length, comma).replace(/[\t\n\r]/g, '')
  const mediaType = (header.split(';', 1)[0] as string).trim() || 'text/plain'
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(header)?.[1]?.toLowerCase()
  const content = url.slice(comma + 1)
  return {
    mediaType,
    base64: /;\s*base64\s*$/i.test(header) ? resolvedBase64(content) : toBase64(percentDecoded(content)),
    ...(charset !== undefined && { charset }),
  }
}

function resolvedBase64(content: string): string {
  return content.includes('%') ? new TextDecoder().decode(percentDecoded(content)) : content
}

/** Unlike `decodeURIComponent`, decodes any bytes. */
function percentDecoded(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  let length = 0
  for (let place = 0; place < bytes.length; place++) {
    const isEncoded = bytes[place] === PERCENT
    const digits = isEncoded ? String.fromCharCode(...bytes.subarray(place + 1, place + 3)) : undefined
    if (digits !== undefined && !/^[\da-f]{2}$/i.test(digits))
      throw new URIError('malformed percent-encoding')
    bytes[length++] = digits === undefined ? (bytes[place] as number) : Number.parseInt(digits, 16)
    if (digits !== undefined) place += 2
  }
  return bytes.subarray(0, length)
}

const PERCENT = 0x25

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
