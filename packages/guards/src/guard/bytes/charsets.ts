/** Decodes all bytes, or returns `undefined` for a charset without a decoder. */
type Decode = (bytes: Uint8Array) => string | undefined

/** Decoders that `TextDecoder` lacks. */
const OTHERS: Readonly<Record<string, Decode>> = {
  'utf-7': fromUtf7,
  'utf-32': (bytes) => fromUtf32(bytes, markedCharset(bytes) !== 'utf-32be'),
  'utf-32le': (bytes) => fromUtf32(bytes, true),
  'utf-32be': (bytes) => fromUtf32(bytes, false),
}

/** The charset that the byte order mark tells. */
export function markedCharset([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32be' : undefined
}

/**
 * The text of bytes in a charset, without a byte order mark. `undefined` if the bytes are not in this charset, or if
 * nobody decodes it. Except in UTF-8, the bytes may end within a character.
 */
export function decodeStrictly(charset: string | undefined, bytes: Uint8Array): string | undefined {
  if (charset === undefined) return undefined
  const own = Object.hasOwn(OTHERS, charset) ? OTHERS[charset] : undefined
  try {
    return own
      ? own(bytes)
      : new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: charset !== 'utf-8' })
  } catch {
    return undefined
  }
}

function fromUtf32(bytes: Uint8Array, isLittle: boolean): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let text = ''
  for (let place = 0; place + 4 <= bytes.length; place += 4) {
    const code = view.getUint32(place, isLittle)
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
    text += String.fromCodePoint(code)
  }
  return text.replace(/^\ufeff/, '')
}

/** RFC 2152: passages of UTF-16 in base64, between `+` and `-`. */
function fromUtf7(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const decoder = new TextDecoder('utf-16be', { fatal: true })
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_, base64: string) => {
    if (base64 === '') return '+'
    const binary = atob(base64.slice(0, base64.length - (base64.length % 4 === 1 ? 1 : 0)))
    const units = Uint8Array.from(binary.slice(0, binary.length - (binary.length % 2)), (unit) =>
      unit.charCodeAt(0),
    )
    return decoder.decode(units)
  })
}
