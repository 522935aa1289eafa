/** Decodes bytes. `fatal`: throws for bytes that are not in this charset, instead of putting U+FFFD in their place. */
type Decode = (bytes: Uint8Array, fatal: boolean) => string

/** How many bytes of UTF-32 become a text at once: the number of arguments of a call is limited. */
const AT_ONCE = 32_768

/** Decoders that `TextDecoder` lacks. */
const OTHERS: Readonly<Record<string, Decode>> = {
  'utf-7': fromUtf7,
  'utf-32': (bytes, fatal) => fromUtf32(bytes, { isLittle: markedCharset(bytes) !== 'utf-32be', fatal }),
  'utf-32le': (bytes, fatal) => fromUtf32(bytes, { isLittle: true, fatal }),
  'utf-32be': (bytes, fatal) => fromUtf32(bytes, { isLittle: false, fatal }),
}

/** The charset that the byte order mark tells. */
export function markedCharset([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32be' : undefined
}

/**
 * The text of bytes in a charset, without a byte order mark. `undefined` if nobody decodes it, or if the bytes are not
 * in this charset. Except in UTF-8, the bytes may end within a character.
 *
 * @param fatal `false` puts U+FFFD in place of bytes that are not in this charset
 */
export function decode(charset: string | undefined, bytes: Uint8Array, fatal = true): string | undefined {
  if (charset === undefined) return undefined
  const own = Object.hasOwn(OTHERS, charset) ? OTHERS[charset] : undefined
  try {
    if (own) return own(bytes, fatal)
    return new TextDecoder(charset, { fatal }).decode(bytes, { stream: charset !== 'utf-8' })
  } catch {
    return undefined
  }
}

function fromUtf32(bytes: Uint8Array, { isLittle, fatal }: { isLittle: boolean; fatal: boolean }): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts: string[] = []
  for (let start = 0; start + 4 <= bytes.length; start += AT_ONCE) {
    const codes: number[] = []
    for (let place = start; place + 4 <= Math.min(bytes.length, start + AT_ONCE); place += 4) {
      const code = view.getUint32(place, isLittle)
      const isValid = code <= 0x10ffff && (code < 0xd800 || code >= 0xe000)
      if (fatal && !isValid) throw new TypeError('no UTF-32')
      codes.push(isValid ? code : 0xfffd)
    }
    texts.push(String.fromCodePoint(...codes))
  }
  return texts.join('').replace(/^\ufeff/, '')
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
