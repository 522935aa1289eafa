import { yieldToEventLoop } from '../../event-loop.ts'

// Signed bytes as ASCII text, for modules that hold them: near zero, where nearly all weights are, a byte is one character, so that
// compression finds what it finds in the bytes. In base64 it does not, and needs a sixth more.

/** Bytes up to this far from zero are one character; others are a mark and a character. */
const NEAR = 43

/** The character of zero. */
const ZERO = 0x53

/** The marks before bytes below and above, whose characters begin here. */
const BELOW = 0x21
const ABOVE = 0x23
const FIRST = 0x28

/** How much is decoded at a stretch. */
const STEP = 65_536

export function encodeBytes(bytes: Int8Array): string {
  return Array.from(bytes, (byte) => {
    if (byte < -NEAR) return String.fromCharCode(BELOW, FIRST + byte + 128)
    if (byte > NEAR) return String.fromCharCode(ABOVE, FIRST + byte - NEAR - 1)
    return String.fromCharCode(ZERO + byte)
  }).join('')
}

/** Decodes what `encodeBytes` made, with the event loop free in between. */
export async function decodeBytes(text: string): Promise<Int8Array> {
  const bytes = new Int8Array(text.length)
  let end = 0
  let pause = 0
  for (let place = 0; place < text.length; place++) {
    if (place >= pause) {
      await yieldToEventLoop()
      pause += STEP
    }
    const code = text.charCodeAt(place)
    if (code === BELOW) bytes[end++] = text.charCodeAt(++place) - FIRST - 128
    else if (code === ABOVE) bytes[end++] = text.charCodeAt(++place) - FIRST + NEAR + 1
    else bytes[end++] = code - ZERO
  }
  return bytes.slice(0, end)
}
